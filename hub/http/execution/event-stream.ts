import { END_ID, type StreamPosition, withIds } from '@svc/core/execution/event-ids';
import { type Ended, outcomeOf } from '@svc/core/execution/outcome';
import { encodeEvent, encodeTransformed, KEEP_ALIVE } from '@svc/core/execution/sse';
import { LIMITS } from '@svc/core/plan/limits';
import type { Following } from '../../engine/execution/follow-execution.ts';
import type { OutputChunk } from '../../engine/ports/executions.ts';
import type { Clock } from '../../engine/ports/world.ts';
import { bugMessage } from '../json-response.ts';
import { REVOKED, type Watch } from '../routes/watch-caller.ts';

export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
} as const;

export interface EventStreamOptions {
  readonly following: Following;
  readonly request: Request;
  readonly clock: Clock;
  readonly headers: Readonly<Record<string, string>>;
  /** Says in the stream which events the reader has: what stands before each id. Absent: the spec's lines and no others. */
  readonly ids?: { readonly prefix: string; readonly first: string | undefined };
  /** Bun sends the headers of a stream with its first bytes: a comment brings them to a reader that waits for them. */
  readonly greets?: boolean;
  /** What the reader has already. */
  readonly after?: StreamPosition;
  /** Ends the response, not the execution (decision 19): when, and what the reader is told. */
  readonly cap?: { readonly atMs: number; readonly message: string };
  /** Ends the response, too: the credential of the reader works no more. Absent: there is none. */
  readonly watch?: Watch | undefined;
  readonly onLeave: () => void;
  readonly reportBug: (error: unknown) => string;
}

const DROPPED = 'this reader was too slow and was let go; the execution goes on';

/** Answers with an execution's events as they come: exactly one `done` or one `error` ends them (decision 15). */
export function eventStream(options: EventStreamOptions): Response {
  const { following, request, headers, onLeave } = options;
  const leave = () => {
    following.stop();
    onLeave();
  };
  if (request.signal.aborted) leave();
  else request.signal.addEventListener('abort', leave, { once: true });
  const source: Bun.DirectUnderlyingSource = {
    type: 'direct',
    pull: (controller) => new EventStream(options, controller).run(),
  };
  // The types of the DOM win over Bun's, and they know no direct streams.
  return new Response(new ReadableStream(source as unknown as UnderlyingSource), {
    headers: { ...EVENT_STREAM_HEADERS, ...headers },
  });
}

class EventStream {
  readonly #options: EventStreamOptions;
  readonly #controller: ReadableStreamDirectController;
  #silence: NodeJS.Timeout | undefined;
  #isCapped = false;
  #isRevoked = false;
  #isBlocked = false;
  #hasWritten = false;

  constructor(options: EventStreamOptions, controller: ReadableStreamDirectController) {
    this.#options = options;
    this.#controller = controller;
  }

  async run(): Promise<void> {
    this.#silence = setTimeout(() => this.#sendHead(), LIMITS.sseHeadMs);
    const uncap = this.#capLater();
    const unwatch = this.#options.watch?.(() => this.#revoke());
    try {
      if (this.#options.greets) await this.#write(KEEP_ALIVE);
      const first = this.#options.ids?.first;
      if (first !== undefined) await this.#write(first);
      for await (const next of this.#options.following) {
        this.#silence.refresh();
        if (next.kind === 'output') await this.#output(next.chunks);
        else await this.#write(next.kind === 'ended' ? this.#last(next.ended) : this.#dropped());
      }
    } catch (error) {
      await this.#write(encodeEvent({ type: 'error', error: bugMessage(this.#options.reportBug(error)) }));
    } finally {
      clearTimeout(this.#silence);
      uncap();
      unwatch?.();
      this.#options.following.stop();
      if (!this.#options.request.signal.aborted) await this.#controller.end();
    }
  }

  async #output(chunks: readonly OutputChunk[]): Promise<void> {
    for (const { seq, sse } of chunks) {
      const { ids, after } = this.#options;
      if (ids === undefined) {
        await this.#write(sse);
        continue;
      }
      const skip = after?.seq === seq ? after.events : 0;
      await this.#write(withIds(seq, sse, { prefix: ids.prefix, skip }));
    }
  }

  /** A promise means that the socket is full: whoever waits for it paces the run. */
  async #write(bytes: Uint8Array | string): Promise<void> {
    if (this.#options.request.signal.aborted || bytes.length === 0) return;
    this.#hasWritten = true;
    const written = this.#controller.write(bytes);
    void this.#controller.flush();
    if (!(written instanceof Promise)) return;
    this.#isBlocked = true;
    await written;
    this.#isBlocked = false;
  }

  #last(ended: Ended): string {
    const { ids } = this.#options;
    const id = ids === undefined ? '' : `id: ${ids.prefix}${END_ID}\n`;
    const outcome = outcomeOf(ended);
    if (outcome.kind === 'failure')
      return id + encodeEvent({ type: 'error', error: outcome.refusal.message });
    const { exitCode, durationMs, data } = outcome;
    const done = id + encodeEvent({ type: 'done', exit_code: exitCode, duration_ms: durationMs });
    return data === undefined ? done : encodeTransformed(data) + done;
  }

  #dropped(): string {
    const { cap } = this.#options;
    const reason = this.#isCapped && cap ? cap.message : DROPPED;
    return encodeEvent({ type: 'error', error: this.#isRevoked ? REVOKED : reason });
  }

  #revoke(): void {
    this.#isRevoked = true;
    this.#options.following.stop();
  }

  #capLater(): () => void {
    const { cap, clock, following } = this.#options;
    if (cap === undefined) return () => undefined;
    return clock.at(cap.atMs, () => {
      this.#isCapped = true;
      following.stop();
    });
  }

  /** Bun holds the end of the head back until the first bytes: a comment brings it to the caller of a silent command. */
  #sendHead(): void {
    if (!this.#hasWritten) void this.#write(KEEP_ALIVE);
    this.#silence = setTimeout(() => this.#breakSilence(), LIMITS.sseSilenceMs);
  }

  /** Whatever was written is whole events, so a comment may stand anywhere. A reader that does not read gets none. */
  #breakSilence(): void {
    if (!this.#isBlocked) void this.#write(KEEP_ALIVE);
    this.#silence?.refresh();
  }
}
