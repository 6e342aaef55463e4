import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Shortage, shortageOf } from '@svc/core/shortage';
import type { LinkEvent } from './link/event.ts';
import { TIMERS, type Timers } from './link/timers.ts';

/** The machine has run out of a resource, or has it again: one event at each end of an episode. */
export interface ShortageEvent {
  readonly kind: 'shortage' | 'shortage_over';
  readonly shortage: Shortage;
}

export interface ShortagesOptions {
  /** The folder of the journal; absent: nothing is stored on disk. */
  readonly stateFolder?: string;
  readonly timers?: Timers;
  readonly onEvent: (event: ShortageEvent) => void;
}

/** An episode lasts until nothing has failed for this long and a trial works. */
const QUIET_MS = 5_000;
/** Enough for a command with a transform and for its start. */
const TRIAL_DESCRIPTORS = 16;
const TRIAL_BYTES = 64 * 1024;

/**
 * The resources that this process has run out of. One shortage may fail thousands of calls, but logs one line (decision 64,
 * borders of people and browsers).
 */
export class Shortages implements Disposable {
  readonly #options: ShortagesOptions;
  /** The function that cancels the next trial, by episode. */
  readonly #episodes = new Map<Shortage, () => void>();

  constructor(options: ShortagesOptions) {
    this.#options = options;
  }

  /** Reports a failure that this shortage caused. */
  met(shortage: Shortage): void {
    const withdraw = this.#episodes.get(shortage);
    withdraw?.();
    this.#tryLater(shortage);
    if (withdraw === undefined) this.#options.onEvent({ kind: 'shortage', shortage });
  }

  /** Passes events on. One event of a shortage replaces all failures that it causes. */
  explaining<Event extends LinkEvent>(onEvent: (event: Event) => void): (event: Event) => void {
    return (event) => {
      const shortage = event.kind === 'trouble' ? shortageOf(event.cause) : undefined;
      if (shortage === undefined) onEvent(event);
      else this.met(shortage);
    };
  }

  [Symbol.dispose](): void {
    for (const withdraw of this.#episodes.values()) withdraw();
    this.#episodes.clear();
  }

  #tryLater(shortage: Shortage): void {
    const { timers = TIMERS } = this.#options;
    this.#episodes.set(
      shortage,
      timers.after(QUIET_MS, () => this.#tryNow(shortage)),
    );
  }

  #tryNow(shortage: Shortage): void {
    if (!this.#works(shortage)) {
      this.#tryLater(shortage);
      return;
    }
    this.#episodes.delete(shortage);
    this.#options.onEvent({ kind: 'shortage_over', shortage });
  }

  /** A trial that fails for another reason does not prolong this shortage. */
  #works(shortage: Shortage): boolean {
    try {
      this.#trial(shortage);
      return true;
    } catch (error) {
      if (shortage === 'processes') return (error as NodeJS.ErrnoException).code !== 'EAGAIN';
      return shortageOf(error) !== shortage;
    }
  }

  #trial(shortage: Shortage): void {
    switch (shortage) {
      case 'descriptors':
        tryDescriptors();
        break;
      case 'processes':
        Bun.spawnSync(['/bin/sh', '-c', ':']);
        break;
      case 'disk':
        tryDisk(this.#options.stateFolder);
        break;
    }
  }
}

function tryDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < TRIAL_DESCRIPTORS) opened.push(openSync('/dev/null', 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

function tryDisk(folder: string | undefined): void {
  if (folder === undefined) return;
  const path = join(folder, 'trial');
  try {
    writeFileSync(path, new Uint8Array(TRIAL_BYTES));
  } finally {
    rmSync(path, { force: true });
  }
}
