import { readPipe } from '../../output/read-pipe.ts';
import type { Launch } from '../../runner.ts';
import type { EndCause, StopGraces } from '../../stopping.ts';
import type { ShimChannel } from '../shim/channel.ts';
import { ForgedFrame, type ShimFrame } from '../shim/frames.ts';

export type StartFailure = Extract<ShimFrame, { kind: 'failed' }>;

/** Takes output. If it returns a promise, the caller waits for it before the next chunk. */
export type TakeOutput = (
  from: 'stdout' | 'stderr',
  bytes: Uint8Array<ArrayBuffer>,
) => Promise<void> | undefined;

/**
 * How a command ended. `gone`: the container ended first, by itself. `unbegun`: it ended even before the command began, so
 * another container can run the command.
 */
export type ContainerRunEnd =
  | { readonly kind: 'failed'; readonly failed: StartFailure }
  | { readonly kind: 'ended'; readonly how: EndCause; readonly exitCode: number; readonly durationMs: number }
  | { readonly kind: 'gone' | 'unbegun' };

/** A timer that fires this late was delayed: this process or the machine was stopped. */
const LATE_MS = 1_000;
/** How long to read the frames that arrived meanwhile. */
const CATCH_UP_MS = 500;

/** The exit code of SIGKILL. */
const KILLED = 128 + 9;

/** The run of one command in its container: the frames of the shim, and the timeout and cancellation that end it. */
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
  #failed: StartFailure | undefined;

  constructor(channel: ShimChannel, { timeoutMs }: Pick<Launch, 'timeoutMs'>, graces: StopGraces) {
    this.#channel = channel;
    this.#graces = graces;
    this.#timer = setTimeout(() => this.#onTimeout(timeoutMs), timeoutMs);
  }

  cancel(): void {
    this.#stop('cancelled');
  }

  /** Reads the frames of the shim until the command is over and its output is closed or out of time. */
  async run(take: TakeOutput): Promise<ContainerRunEnd> {
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

  /**
   * A late timer fires before the frames that arrived meanwhile are read: an exit among them counts (decision 64, borders
   * of people and browsers).
   */
  #onTimeout(timeoutMs: number): void {
    const lateMs = performance.now() - this.#startedAtMs - timeoutMs;
    if (lateMs < LATE_MS) this.#stop('timed_out');
    else this.#timer = setTimeout(() => this.#stop('timed_out'), CATCH_UP_MS);
  }

  #begin(): void {
    // A command that was stopped before it began never begins.
    if (this.#hasBegun || this.#how !== undefined) return;
    this.#hasBegun = true;
    this.#channel.begin();
  }

  /** Has no effect after the end. */
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

  /** The output that the container has written so far is still read. */
  #kill(): void {
    this.#endedAtMs ??= performance.now();
    this.#over.resolve();
    // The final removal reports why this one failed.
    this.#channel.container.remove().catch(() => {});
  }

  async #takeAll(frames: readonly ShimFrame[], take: TakeOutput): Promise<void> {
    for (const frame of frames) {
      this.#refuseForged(frame);
      if (frame.kind === 'output') await take(frame.from, frame.bytes);
      else this.#handleFrame(frame);
    }
  }

  /** A frame about a command that has not begun is forged. */
  #refuseForged({ kind }: ShimFrame): void {
    if (this.#hasBegun || kind === 'ready' || kind === 'accepted') return;
    throw new ForgedFrame(`"${kind}" of a command that was not begun`);
  }

  #handleFrame(frame: Exclude<ShimFrame, { kind: 'output' }>): void {
    switch (frame.kind) {
      case 'accepted':
        this.#begin();
        break;
      case 'exit':
        // A second ending would be forged; the first one counts.
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
      // This frame comes before the job and was read then.
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
