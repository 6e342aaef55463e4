import { useSyncExternalStore } from 'react';

/** Whether an element that the page has once is open, such as the palette; any component may open it. */
export class OpenState {
  readonly #listeners = new Set<() => void>();
  #isOpen = false;

  readonly isOpen = (): boolean => this.#isOpen;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(isOpen: boolean): void {
    this.#isOpen = isOpen;
    for (const listener of this.#listeners) listener();
  }
}

export function useIsOpen({ subscribe, isOpen }: OpenState): boolean {
  return useSyncExternalStore(subscribe, isOpen);
}
