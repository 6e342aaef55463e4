import type { LiveEventMessage } from '@svc/core/api/contract/live-event-message';
import { Backoff } from '@svc/core/backoff';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { type BegunRequest, EVENTS_PATH } from '../../begun-requests.ts';
import { unlessSilent } from './silence.ts';

/** `lost`: the page may show old data since that time. */
export type StreamConnection =
  | { readonly kind: 'connecting' | 'live' }
  | { readonly kind: 'lost'; readonly sinceMs: number };

interface LiveEventStreamOptions {
  readonly headers: () => Readonly<Record<string, string>>;
  /** The request for the stream that is under way, at most once; undefined: there is none. */
  readonly begun: () => BegunRequest | undefined;
  readonly onEvent: (event: LiveEventMessage) => void;
  /** The session has ended. */
  readonly onSignedOut: () => void;
  /** The workspace refuses the person, for example because their membership has ended. */
  readonly onRefused: () => void;
  /** The workspace demands a second factor that the person lacks. The stream stays closed until the page is loaded again. */
  readonly onSecondFactorNeeded: () => void;
}

const PAUSE = { firstMs: 500, longestMs: 10_000 };
/** A tab hidden for this long closes its connection: browsers allow six connections to one host. */
const HIDDEN_MS = 60_000;

/**
 * Follows `GET /events` while the page is open, and reconnects after every break.
 *
 * NOTE: `EventSource` cannot send the header that names the workspace (decision 4, the workspace of a request).
 */
export class LiveEventStream {
  readonly #options: LiveEventStreamOptions;
  readonly #listeners = new Set<() => void>();
  #connection: StreamConnection = { kind: 'connecting' };
  #lastEventId: string | undefined;
  /** The page has read nothing before this connection was open. */
  #isBeforeReads = false;
  readonly #backoff = new Backoff(PAUSE, (pauseMs) => pauseMs + Math.random() * PAUSE.firstMs);
  #abort = new AbortController();
  #wake: () => void = () => {};

  constructor(options: LiveEventStreamOptions) {
    this.#options = options;
  }

  get connection(): StreamConnection {
    return this.#connection;
  }

  /** Calls `listener` on each change of `connection`. Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs until the page is closed. */
  async follow(): Promise<never> {
    addEventListener('online', () => this.#reconnectNow());
    document.addEventListener('visibilitychange', () => this.#onVisibility());
    // A tab that was opened in the background.
    if (document.hidden) this.#closeIfHidden();
    for (;;) {
      await this.#readOnce();
      if (this.#connection.kind !== 'lost') this.#setConnection({ kind: 'lost', sinceMs: Date.now() });
      await this.#pause();
    }
  }

  /** Ends the current pause. */
  #reconnectNow(): void {
    this.#backoff.reset();
    this.#wake();
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    // A hidden tab reconnects when it is shown again.
    const pauseMs = this.#backoff.nextMs();
    if (!document.hidden) setTimeout(resolve, pauseMs);
    await promise;
  }

  #onVisibility(): void {
    if (!document.hidden) {
      this.#reconnectNow();
      return;
    }
    this.#closeIfHidden();
  }

  #closeIfHidden(): void {
    setTimeout(() => {
      if (document.hidden) this.#abort.abort();
    }, HIDDEN_MS);
  }

  async #readOnce(): Promise<void> {
    const begun = this.#options.begun();
    this.#isBeforeReads = begun?.isOpenBeforeReads ?? false;
    this.#abort = begun?.abort ?? new AbortController();
    const { signal } = this.#abort;
    try {
      const response = await unlessSilent(
        'head',
        this.#abort,
        begun?.response ?? fetch(EVENTS_PATH, { headers: this.#headers(), signal }),
      );
      if (response.status === 403 && (await isSecondFactorNeeded(response))) {
        this.#setConnection({ kind: 'connecting' });
        this.#options.onSecondFactorNeeded();
        return await new Promise(() => undefined);
      }
      if (response.status === 401) this.#options.onSignedOut();
      if (response.status === 403) this.#options.onRefused();
      if (!response.ok || response.body === null) return;
      await this.#readBody(response.body);
    } catch {
      // Every error means a lost connection; `follow` reconnects.
    }
  }

  async #readBody(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new SseDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await unlessSilent('body', this.#abort, reader.read());
      if (done) return;
      for (const { data } of decoder.push(value)) this.#onEvent(JSON.parse(data) as LiveEventMessage);
      this.#lastEventId = decoder.lastEventId || this.#lastEventId;
    }
  }

  #onEvent(event: LiveEventMessage): void {
    if (this.#connection.kind !== 'live') {
      this.#backoff.reset();
      this.#setConnection({ kind: 'live' });
    }
    // `ready` makes everything stale that was read before.
    if (event.type === 'ready' && this.#isBeforeReads) return;
    this.#options.onEvent(event);
  }

  #headers(): Record<string, string> {
    return {
      Accept: 'text/event-stream',
      ...this.#options.headers(),
      ...(this.#lastEventId === undefined ? {} : { 'Last-Event-ID': this.#lastEventId }),
    };
  }

  #setConnection(connection: StreamConnection): void {
    this.#connection = connection;
    for (const listener of this.#listeners) listener();
  }
}

async function isSecondFactorNeeded(response: Response): Promise<boolean> {
  const { code } = (await response.clone().json()) as { readonly code?: string };
  return code === 'second_factor_required';
}
