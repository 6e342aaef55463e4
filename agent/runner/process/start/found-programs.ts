import { RecentMap } from '@svc/core/recent-map';
import type { ReadyLaunch } from '../protocol.ts';

/** Searching a PATH with ten folders costs a tenth of the time that this process spends on a short command. */
const REMEMBERED_FOR_MS = 1000;
const MAX_REMEMBERED = 1000;

interface Found {
  readonly path: string;
  readonly untilMs: number;
}

/**
 * The paths of programs that were found within the last second. A program that is installed earlier in the PATH is used at most a
 * second later. A program that is gone is searched again at once, because it cannot be spawned.
 */
export class FoundPrograms {
  readonly #nowMs: () => number;
  readonly #found = new RecentMap<string, Found>(MAX_REMEMBERED);

  /** @param nowMs monotonic */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  get(launch: ReadyLaunch): string | undefined {
    const found = this.#found.get(keyOf(launch));
    return found === undefined || found.untilMs <= this.#nowMs() ? undefined : found.path;
  }

  add(launch: ReadyLaunch, path: string): void {
    this.#found.set(keyOf(launch), { path, untilMs: this.#nowMs() + REMEMBERED_FOR_MS });
  }

  forget(launch: ReadyLaunch): void {
    this.#found.take(keyOf(launch));
  }
}

/** The values on which a search depends. */
function keyOf({ argv: [name], env, cwd }: ReadyLaunch): string {
  return `${name}\0${env.PATH}\0${cwd}`;
}
