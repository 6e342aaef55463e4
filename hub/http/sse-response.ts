import { encodeEvent, KEEP_ALIVE } from '@svc/core/execution/sse';
import { LIMITS } from '@svc/core/plan/limits';
import { bugMessage } from '../platform/http/json-response.ts';
import type { Clock } from '../platform/world.ts';
import { REVOKED, type Watch } from './watch-caller.ts';

export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Where the events of a response go. */
export interface SseWriter {
  /** Takes whole events. A promise means that the socket is full: whoever waits for it paces what is followed. */
  readonly write: (events: Uint8Array | string) => Promise<void>;
  /** What a reader is told when what it follows was stopped before its end. */
  readonly stopped: () => string;
}

/** How a response of events begins and ends, whatever is in it. */
export interface SseOptions {
  readonly request: Request;
  readonly clock: Clock;
  readonly headers: Readonly<Record<string, string>>;
  /** A block that comes before everything else. */
  readonly first?: string | undefined;
  /** Bun sends the headers of a stream with its first bytes: a comment brings them to a reader that waits for them. */
  readonly greets?: boolean | undefined;
  /** Ends the response, not what is followed (decision 19): when, and what the reader is told. */
  readonly cap?: { readonly atMs: number; readonly message: string } | undefined;
  /** Ends the response, too: the credential of the reader works no more. Absent: there is none. */
  readonly watch?: Watch | undefined;
  /** The reader has gone. */
  readonly onLeave: () => void;
  readonly reportBug: (error: unknown) => string;
}

/** What the events are made of. */
export interface SseSource {
  /** Writes all of them; the response ends when it settles. */
  readonly produce: (writer: SseWriter) => Promise<void>;
  /** Ends `produce` soon; called at least once. */
  readonly stop: () => void;
}

const DROPPED = 'this reader was too slow and was let go; the execution goes on';

/** An answer that goes on after its head. */
export class StreamedResponse extends Response {
  /** Settles when nothing more comes, or when nobody reads any more. */
  readonly ended: Promise<void>;

  constructor(body: ReadableStream, init: ResponseInit, ended: Promise<void>) {
    super(body, init);
    this.ended = ended;
  }
}

/** Answers with events as they come (decision 15), with a comment whenever there was silence. */
export function sseResponse(options: SseOptions, produced: SseSource): StreamedResponse {
  const { request, headers, onLeave } = options;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const leave = () => {
    produced.stop();
    onLeave();
    end();
  };
  if (request.signal.aborted) leave();
  else request.signal.addEventListener('abort', leave, { once: true });
  const source: Bun.DirectUnderlyingSource = {
    type: 'direct',
    pull: (controller) => new SseResponse(options, produced, controller).run().finally(end),
    cancel() {
      produced.stop();
      end();
    },
  };
  // The types of the DOM win over Bun's, and they know no direct streams.
  const body = new ReadableStream(source as unknown as UnderlyingSource);
  return new StreamedResponse(body, { headers: { ...EVENT_STREAM_HEADERS, ...headers } }, ended);
}

class SseResponse {
  readonly #options: SseOptions;
  readonly #source: SseSource;
  readonly #controller: ReadableStreamDirectController;
  #silence: NodeJS.Timeout | undefined;
  #isCapped = false;
  #isRevoked = false;
  #isBlocked = false;
  #hasWritten = false;

  constructor(options: SseOptions, source: SseSource, controller: ReadableStreamDirectController) {
    this.#options = options;
    this.#source = source;
    this.#controller = controller;
  }

  async run(): Promise<void> {
    const { greets, first, watch, request, reportBug } = this.#options;
    this.#silence = setTimeout(() => this.#sendHead(), LIMITS.sseHeadMs);
    const uncap = this.#capLater();
    const unwatch = watch?.(() => this.#revoke());
    try {
      if (greets) await this.#write(KEEP_ALIVE);
      if (first !== undefined) await this.#write(first);
      await this.#source.produce({
        write: (events) => {
          this.#silence?.refresh();
          return this.#write(events);
        },
        stopped: () => this.#stopped(),
      });
    } catch (error) {
      await this.#write(encodeEvent({ type: 'error', error: bugMessage(reportBug(error)) }));
    } finally {
      clearTimeout(this.#silence);
      uncap();
      unwatch?.();
      this.#source.stop();
      if (!request.signal.aborted) await this.#controller.end();
    }
  }

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

  #stopped(): string {
    const { cap } = this.#options;
    const reason = this.#isCapped && cap ? cap.message : DROPPED;
    return encodeEvent({ type: 'error', error: this.#isRevoked ? REVOKED : reason });
  }

  #revoke(): void {
    this.#isRevoked = true;
    this.#source.stop();
  }

  #capLater(): () => void {
    const { cap, clock } = this.#options;
    if (cap === undefined) return () => undefined;
    return clock.at(cap.atMs, () => {
      this.#isCapped = true;
      this.#source.stop();
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
