import { RecentMap } from '@svc/core/recent-map';
import type { Clock } from './world.ts';

/** How long a cache remembers that a value is absent. */
interface Absence {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly forMs: number;
}

/** A bounded cache in front of a store. Absent values are cached only on request, and apart, so that invalid keys cannot fill it. */
export class ReadThrough<Value extends {}> {
  readonly #values: RecentMap<string, Value>;
  readonly #absent: AbsentKeys | undefined;
  /** The running loads, so that concurrent misses read once. */
  readonly #loading = new Map<string, Promise<Value | undefined>>();

  constructor(max: number, absence?: Absence) {
    this.#values = new RecentMap(max);
    this.#absent = absence && new AbsentKeys(max, absence);
  }

  /** The value itself if it is cached, else a promise. */
  get(key: string, load: () => Promise<Value | undefined>): Value | undefined | Promise<Value | undefined> {
    const value = this.#values.get(key);
    if (value !== undefined || this.#absent?.has(key)) return value;
    return this.#loading.get(key) ?? this.#load(key, load);
  }

  /** Called by each write that changes the value of the key. */
  forget(key: string): void {
    this.#values.take(key);
    this.#absent?.forget(key);
    // A running read may have begun before the write, so its result is not cached.
    this.#loading.delete(key);
  }

  forgetAll(): void {
    this.#values.clear();
    this.#absent?.forgetAll();
    this.#loading.clear();
  }

  forgetWhere(matches: (value: Value) => boolean): void {
    this.#values.takeWhere(matches);
    // The write may have made one of the absent values.
    this.#absent?.forgetAll();
    this.#loading.clear();
  }

  #load(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const loading = load();
    this.#loading.set(key, loading);
    const keep = (value: Value | undefined) => {
      if (this.#loading.get(key) !== loading) return;
      this.#loading.delete(key);
      if (value !== undefined) this.#values.set(key, value);
      else this.#absent?.note(key);
    };
    loading.then(keep, () => this.#failed(key, loading));
    return loading;
  }

  /** A failed read says nothing about the value. */
  #failed(key: string, loading: Promise<unknown>): void {
    if (this.#loading.get(key) === loading) this.#loading.delete(key);
  }
}

/** The keys whose value was absent a moment ago. */
class AbsentKeys {
  readonly #atMs: RecentMap<string, number>;
  readonly #absence: Absence;

  constructor(max: number, absence: Absence) {
    this.#atMs = new RecentMap(max);
    this.#absence = absence;
  }

  has(key: string): boolean {
    const atMs = this.#atMs.get(key);
    return atMs !== undefined && this.#absence.clock.nowMs() - atMs < this.#absence.forMs;
  }

  note(key: string): void {
    this.#atMs.set(key, this.#absence.clock.nowMs());
  }

  forget(key: string): void {
    this.#atMs.take(key);
  }

  forgetAll(): void {
    this.#atMs.clear();
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
