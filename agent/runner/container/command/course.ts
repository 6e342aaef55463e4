import { readPipe } from '../../output/read-pipe.ts';
import type { Launch } from '../../runner.ts';
import type { EndCause, StopGraces } from '../../stopping.ts';
import type { ShimChannel } from '../shim/channel.ts';
import { ForgedFrame, type ShimFrame } from '../shim/frames.ts';

export type Failed = Extract<ShimFrame, { kind: 'failed' }>;

/** Takes output; a returned promise: no more before it settles. */
export type Take = (from: 'stdout' | 'stderr', bytes: Uint8Array<ArrayBuffer>) => Promise<void> | undefined;

/**
 * What became of a command. `gone`: the container ended before it, by itself; `unbegun`: and before it began, so that it can
 * be given to another one.
 */
export type ContainerRunEnd =
  | { readonly kind: 'failed'; readonly failed: Failed }
  | { readonly kind: 'ended'; readonly how: EndCause; readonly exitCode: number; readonly durationMs: number }
  | { readonly kind: 'gone' | 'unbegun' };

/** A timer that fires so late was held up: this process was stopped, or the machine was. */
const LATE_MS = 1_000;
/** How long the frames that came meanwhile may take to be read. */
const CATCH_UP_MS = 500;

/** A signal that nothing survives, as an exit code. */
const KILLED = 128 + 9;

/** The course of one command in its container: what the shim tells of it, and the time-out and cancellation that end it. */
export class ContainerRun {
  readonly #channel: ShimChannel;
  readonly #graces: StopGraces;
  readonly #startedAtMs = performance.now();
  readonly #over = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout;
  #graceTimer: NodeJS.Timeout | undefined;
  #how: EndCause | undefined;
  #hasBegun = false;
  #endedAtMs: number | undefined;
  #exitCode: number | undefined;
  #failed: Failed | undefined;

  constructor(channel: ShimChannel, { timeoutMs }: Pick<Launch, 'timeoutMs'>, graces: StopGraces) {
    this.#channel = channel;
    this.#graces = graces;
    this.#timer = setTimeout(() => this.#onTimeout(timeoutMs), timeoutMs);
  }

  cancel(): void {
    this.#stop('cancelled');
  }

  /** Reads what the shim tells until the command is over and nobody writes any more, or may no longer. */
  async run(take: Take): Promise<ContainerRunEnd> {
    const { drainAfterExitMs } = this.#graces;
    try {
      await readPipe(this.#channel.reader, this.#over.promise, drainAfterExitMs, (chunk) =>
        this.#takeAll(this.#channel.decode(chunk), take),
      );
      return this.#end();
    } finally {
      clearTimeout(this.#timer);
      clearTimeout(this.#graceTimer);
    }
  }

  /** A timer that fires late fires before what the shim has said meanwhile is read: an exit among it counts (decision 64). */
  #onTimeout(timeoutMs: number): void {
    const lateMs = performance.now() - this.#startedAtMs - timeoutMs;
    if (lateMs < LATE_MS) this.#stop('timed_out');
    else this.#timer = setTimeout(() => this.#stop('timed_out'), CATCH_UP_MS);
  }

  #begin(): void {
    // One that was stopped before it began never does.
    if (this.#hasBegun || this.#how !== undefined) return;
    this.#hasBegun = true;
    this.#channel.begin();
  }

  /** Does nothing after the end. */
  #stop(how: EndCause): void {
    if (this.#how !== undefined) return;
    this.#how = how;
    if (!this.#hasBegun) {
      this.#kill();
      return;
    }
    this.#channel.terminate();
    this.#graceTimer = setTimeout(() => this.#kill(), this.#graces.killGraceMs);
  }

  /** What has come out of the container by now is still read. */
  #kill(): void {
    this.#endedAtMs ??= performance.now();
    this.#over.resolve();
    // Why it could not be removed is heard by whoever removes it at the end.
    this.#channel.container.remove().catch(() => {});
  }

  async #takeAll(frames: readonly ShimFrame[], take: Take): Promise<void> {
    for (const frame of frames) {
      this.#checkOrder(frame);
      if (frame.kind === 'output') await take(frame.from, frame.bytes);
      else this.#hear(frame);
    }
  }

  /** Who speaks of a command that was not begun is no shim. */
  #checkOrder({ kind }: ShimFrame): void {
    if (this.#hasBegun || kind === 'ready' || kind === 'accepted') return;
    throw new ForgedFrame(`"${kind}" of a command that was not begun`);
  }

  #hear(frame: Exclude<ShimFrame, { kind: 'output' }>): void {
    switch (frame.kind) {
      case 'accepted':
        this.#begin();
        break;
      case 'exit':
        // A second one would be forged; the first has settled it.
        if (this.#exitCode !== undefined) return;
        this.#exitCode = frame.code;
        this.#endedAtMs = performance.now();
        if (this.#how !== undefined) return;
        this.#how = 'exited';
        this.#over.resolve();
        break;
      case 'failed':
        this.#failed ??= frame;
        break;
      case 'done':
        this.#channel.abandon();
        break;
      // Said before the job, and read then.
      case 'ready':
        break;
    }
  }

  #end(): ContainerRunEnd {
    if (this.#failed !== undefined) return { kind: 'failed', failed: this.#failed };
    if (this.#how === undefined) return { kind: this.#hasBegun ? 'gone' : 'unbegun' };
    const durationMs = Math.round((this.#endedAtMs ?? performance.now()) - this.#startedAtMs);
    return { kind: 'ended', how: this.#how, exitCode: this.#exitCode ?? KILLED, durationMs };
  }
}
