import { ReadThrough } from './read-through.ts';

const MOST_WORKSPACES = 50_000;

/** A cache for each workspace, so that a change empties its own and no other. */
export class WorkspaceCaches<Value> {
  readonly #mostOfOne: number;
  readonly #caches = new Map<string, ReadThrough<Value>>();

  constructor(mostOfOne: number) {
    this.#mostOfOne = mostOfOne;
  }

  of(workspaceId: string): ReadThrough<Value> {
    const known = this.#caches.get(workspaceId);
    if (known !== undefined) return known;
    if (this.#caches.size >= MOST_WORKSPACES) this.#caches.clear();
    const cache = new ReadThrough<Value>(this.#mostOfOne);
    this.#caches.set(workspaceId, cache);
    return cache;
  }

  delete(workspaceId: string): void {
    this.#caches.delete(workspaceId);
  }

  clear(): void {
    this.#caches.clear();
  }
}
