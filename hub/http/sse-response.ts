import type { ErrorEvent } from '@svc/core/execution/event';
import { encodeEvent, KEEP_ALIVE } from '@svc/core/execution/sse';
import { LIMITS } from '@svc/core/plan/limits';
import { gzipSink, type StreamSink } from '../platform/http/gzip.ts';
import { bugMessage } from '../platform/http/json-response.ts';
import type { Clock } from '../platform/world.ts';
import { capLater, type ResponseCap } from './response-cap.ts';
import { REVOKED, type Watch } from './watch-caller.ts';

export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The sink for the events of a response. */
export interface SseWriter {
  /** Takes whole events. A returned promise means that the socket is full; the producer awaits it for back-pressure. */
  readonly write: (events: Uint8Array | string) => Promise<void>;
  /** The final event for a reader whose stream was stopped early. */
  readonly stopped: () => string;
}

/** Controls the beginning and the end of an event stream. */
export interface SseOptions {
  readonly request: Request;
  readonly clock: Clock;
  readonly headers: Readonly<Record<string, string>>;
  /** What the stream is about, for the `error` event that may end it. */
  readonly subject: Pick<ErrorEvent, 'execution_id' | 'run_id'>;
  /** A block before all events. */
  readonly first?: string | undefined;
  /** Bun sends the headers of a stream with its first bytes, so a comment delivers them at once. */
  readonly greets?: boolean | undefined;
  /** Ends the response but not the execution (decision 19, the cap on a response): when, and with which final event. */
  readonly cap?: (ResponseCap & { readonly message: string }) | undefined;
  /** Ends the response when the reader's credential becomes invalid. Absent: the reader has none. */
  readonly watch?: Watch | undefined;
  /** Called when the reader has disconnected. */
  readonly onLeave: () => void;
  /** Compresses the events; only for a stream that begins when all of its events are known. */
  readonly isGzipped?: boolean | undefined;
  readonly reportBug: (error: unknown) => string;
}

/** The producer of the events. */
export interface SseSource {
  /** Writes all events. The response ends when it settles. */
  readonly produce: (writer: SseWriter) => Promise<void>;
  /** Ends `produce` soon; called at least once. */
  readonly stop: () => void;
}

const DROPPED = 'this reader was too slow and was disconnected; the execution continues';

/** A streaming response. */
export class StreamedResponse extends Response {
  /** Settles when the stream ends or the reader disconnects. */
  readonly ended: Promise<void>;

  constructor(body: ReadableStream, init: ResponseInit, ended: Promise<void>) {
    super(body, init);
    this.ended = ended;
  }
}

/** Streams events as they arrive (decision 15, the event stream), with a comment after each silence. */
export function sseResponse(options: SseOptions, produced: SseSource): StreamedResponse {
  const { request, headers, onLeave, isGzipped } = options;
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
  // The DOM types override Bun's, and they lack direct streams.
  const body = new ReadableStream(source as unknown as UnderlyingSource);
  const coding = isGzipped ? { 'Content-Encoding': 'gzip' } : {};
  return new StreamedResponse(body, { headers: { ...EVENT_STREAM_HEADERS, ...coding, ...headers } }, ended);
}

class SseResponse {
  readonly #options: SseOptions;
  readonly #source: SseSource;
  readonly #sink: StreamSink;
  #silence: NodeJS.Timeout | undefined;
  #isCapped = false;
  #isRevoked = false;
  #isBlocked = false;
  #hasWritten = false;

  constructor(options: SseOptions, source: SseSource, controller: ReadableStreamDirectController) {
    this.#options = options;
    this.#source = source;
    this.#sink = options.isGzipped ? gzipSink(controller, options.request.signal) : controller;
  }

  async run(): Promise<void> {
    const { greets, first, watch, request, reportBug, subject } = this.#options;
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
      await this.#write(
        encodeEvent({
          type: 'error',
          error: bugMessage(reportBug(error)),
          code: 'internal_error',
          ...subject,
        }),
      );
    } finally {
      clearTimeout(this.#silence);
      uncap();
      unwatch?.();
      this.#source.stop();
      if (!request.signal.aborted) await this.#sink.end();
    }
  }

  async #write(bytes: Uint8Array | string): Promise<void> {
    if (this.#options.request.signal.aborted || bytes.length === 0) return;
    this.#hasWritten = true;
    const written = this.#sink.write(bytes);
    void this.#sink.flush();
    if (!(written instanceof Promise)) return;
    this.#isBlocked = true;
    await written;
    this.#isBlocked = false;
  }

  #stopped(): string {
    const { cap, subject } = this.#options;
    if (this.#isRevoked)
      return encodeEvent({ type: 'error', error: REVOKED, code: 'unauthorized', ...subject });
    const error = this.#isCapped && cap ? cap.message : DROPPED;
    return encodeEvent({ type: 'error', error, code: 'still_running', ...subject });
  }

  #revoke(): void {
    this.#isRevoked = true;
    this.#source.stop();
  }

  #capLater(): () => void {
    const { cap, clock } = this.#options;
    if (cap === undefined) return () => undefined;
    return capLater(clock, cap, () => {
      this.#isCapped = true;
      this.#source.stop();
    });
  }

  /** Bun delays the headers until the first bytes, so a comment delivers them to the caller of a silent command. */
  #sendHead(): void {
    if (!this.#hasWritten) void this.#write(KEEP_ALIVE);
    this.#silence = setTimeout(() => this.#breakSilence(), LIMITS.sseSilenceMs);
  }

  /** Only whole events are written, so a comment may follow any of them. A reader that does not read gets none. */
  #breakSilence(): void {
    if (!this.#isBlocked) void this.#write(KEEP_ALIVE);
    this.#silence?.refresh();
  }
}
