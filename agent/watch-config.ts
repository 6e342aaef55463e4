import { statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ConfigSource, readConfig } from './config-source.ts';
import type { Timers } from './link/timers.ts';

/** Some file systems tell nothing of changes (network, some containers), so the file is looked at by itself, too. */
const LOOK_EVERY_MS = 500;
/** An editor writes in several steps; a file is read when it has been left alone for so long. */
const SETTLED_MS = 50;

/**
 * Tells each change of a config file within a second, whether it is written, replaced or removed, until it is closed.
 * `known` is what the caller has read already; a change that changes nothing in it is not told.
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
    // It may have changed between the reading and now, so the first look reads it again.
    this.#seen = '';
    this.#withdraw = timers.after(SETTLED_MS, () => this.#look());
    this.#stopWatching = watchFolder(dirname(path), () => this.#hurry());
  }

  close(): void {
    this.#withdraw();
    this.#stopWatching();
  }

  /** Something has happened in the folder, though perhaps not to the file. */
  #hurry(): void {
    if (this.#isSettling || fingerprint(this.#path) === this.#seen) return;
    this.#withdraw();
    this.#look();
  }

  /** Reads the file when two looks in a row find it the same, and other than before. */
  #look(): void {
    const found = fingerprint(this.#path);
    const hasChanged = found !== this.#seen;
    if (!hasChanged && this.#isSettling) this.#read();
    this.#isSettling = hasChanged;
    this.#seen = found;
    this.#withdraw = this.#timers.after(hasChanged ? SETTLED_MS : LOOK_EVERY_MS, () => this.#look());
  }

  #read(): void {
    const source = readConfig(this.#path, []);
    const text = JSON.stringify(source);
    if (text === this.#known) return;
    this.#known = text;
    this.#onChange(source);
  }
}

/** The folder and not the file: a file that is replaced is another one. */
function watchFolder(folder: string, onEvent: () => void): () => void {
  try {
    const watcher = watch(folder, onEvent);
    // What goes wrong with it costs at most the half second until the next look.
    watcher.on('error', () => {});
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

/** Another one for every change: the times say so, and a file that replaces another has another number. */
function fingerprint(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
