import { statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ConfigSource, readConfig } from './config-source.ts';
import type { Timers } from './link/timers.ts';

/** Some file systems report no changes (network, some containers), so the file is also polled. */
const CHECK_EVERY_MS = 500;
/** An editor writes in several steps, so a file is read after it has not changed for this long. */
const SETTLED_MS = 50;

/**
 * Reports each change of a config file within a second, whether it is written, replaced or removed, until it is closed.
 * `known` is the content that the caller has already read; a change without effect on it is not reported.
 */
export function watchConfig(
  path: string,
  known: ConfigSource,
  onChange: (source: ConfigSource) => void,
  timers: Timers,
): () => void {
  const watched = new WatchedConfig(resolve(path), known, onChange, timers);
  return () => watched.close();
}

class WatchedConfig {
  readonly #path: string;
  readonly #onChange: (source: ConfigSource) => void;
  readonly #timers: Timers;
  readonly #stopWatching: () => void;
  #known: string;
  #seen: string;
  #withdraw: () => void;
  #isSettling = false;

  constructor(path: string, known: ConfigSource, onChange: (source: ConfigSource) => void, timers: Timers) {
    this.#path = path;
    this.#onChange = onChange;
    this.#timers = timers;
    this.#known = JSON.stringify(known);
    // The file may have changed since it was read, so the first poll reads it again.
    this.#seen = '';
    this.#withdraw = timers.after(SETTLED_MS, () => this.#check());
    this.#stopWatching = watchFolder(dirname(path), () => this.#hurry());
  }

  close(): void {
    this.#withdraw();
    this.#stopWatching();
  }

  /** An event in the folder, perhaps of another file. */
  #hurry(): void {
    if (this.#isSettling || fingerprint(this.#path) === this.#seen) return;
    this.#withdraw();
    this.#check();
  }

  /** Reads the file when two polls in a row find it unchanged since each other, but different from the last read. */
  #check(): void {
    const found = fingerprint(this.#path);
    const hasChanged = found !== this.#seen;
    if (!hasChanged && this.#isSettling) this.#read();
    this.#isSettling = hasChanged;
    this.#seen = found;
    this.#withdraw = this.#timers.after(hasChanged ? SETTLED_MS : CHECK_EVERY_MS, () => this.#check());
  }

  #read(): void {
    const source = readConfig(this.#path, []);
    const text = JSON.stringify(source);
    if (text === this.#known) return;
    this.#known = text;
    this.#onChange(source);
  }
}

/** Watches the folder, not the file: a replaced file is another one. */
function watchFolder(folder: string, onEvent: () => void): () => void {
  try {
    const watcher = watch(folder, onEvent);
    // A failure costs at most the half second until the next poll.
    watcher.on('error', () => {});
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

/** Differs after every change: the times change, and a replacing file has another inode. */
function fingerprint(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
