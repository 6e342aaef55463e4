import { useSyncExternalStore } from 'react';

/** Whether something that the page has once is open; anybody may open it. */
export class OpenState {
  readonly #listeners = new Set<() => void>();
  #isOpen = false;

  readonly isOpen = (): boolean => this.#isOpen;

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  };

  set(isOpen: boolean): void {
    this.#isOpen = isOpen;
    for (const tell of this.#listeners) tell();
  }
}

export function useIsOpen({ subscribe, isOpen }: OpenState): boolean {
  return useSyncExternalStore(subscribe, isOpen);
}
