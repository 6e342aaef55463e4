import { RecentMap } from '@svc/core/recent-map';

/** A bounded cache in front of a store. Absent values are not cached, so that invalid keys cannot fill it. */
export class ReadThrough<Value extends {}> {
  readonly #values: RecentMap<string, Value>;
  /** The running loads, so that concurrent misses read once. */
  readonly #loading = new Map<string, Promise<Value | undefined>>();

  constructor(max: number) {
    this.#values = new RecentMap(max);
  }

  /** The value itself if it is cached, else a promise. */
  get(key: string, load: () => Promise<Value | undefined>): Value | undefined | Promise<Value | undefined> {
    return this.#values.get(key) ?? this.#loading.get(key) ?? this.#load(key, load);
  }

  /** Called by each write that changes the value of the key. */
  forget(key: string): void {
    this.#values.take(key);
    // A running read may have begun before the write, so its result is not cached.
    this.#loading.delete(key);
  }

  forgetAll(): void {
    this.#values.clear();
    this.#loading.clear();
  }

  forgetWhere(matches: (value: Value) => boolean): void {
    this.#values.takeWhere(matches);
    this.#loading.clear();
  }

  #load(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const loading = load();
    this.#loading.set(key, loading);
    const keep = (value: Value | undefined) => {
      if (this.#loading.get(key) !== loading) return;
      this.#loading.delete(key);
      if (value !== undefined) this.#values.set(key, value);
    };
    loading.then(keep, () => keep(undefined));
    return loading;
  }
}

const MAX_WORKSPACES = 50_000;

/** A cache for each workspace, so that a change empties its own and no other. */
export class WorkspaceCaches<Value extends {}> {
  readonly #maxOfOne: number;
  readonly #caches = new Map<string, ReadThrough<Value>>();

  constructor(maxOfOne: number) {
    this.#maxOfOne = maxOfOne;
  }

  of(workspaceId: string): ReadThrough<Value> {
    const known = this.#caches.get(workspaceId);
    if (known !== undefined) return known;
    if (this.#caches.size >= MAX_WORKSPACES) this.#caches.clear();
    const cache = new ReadThrough<Value>(this.#maxOfOne);
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
