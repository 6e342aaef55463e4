import type { LiveEventMessage } from '@svc/core/api/contract/news-schema';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { LIMITS } from '@svc/core/plan/limits';

/** `lost` since a time: nothing that is shown can be trusted to be the newest. */
export type Connection =
  | { readonly kind: 'connecting' | 'live' }
  | { readonly kind: 'lost'; readonly sinceMs: number };

interface NewsStreamParts {
  readonly headers: () => Readonly<Record<string, string>>;
  readonly onEvent: (event: LiveEventMessage) => void;
  /** The session is over, or the membership. */
  readonly onSignedOut: () => void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** The hub says something at least that often; three times nothing is a connection that is only half there. */
const SILENCE_MS = 3 * LIMITS.sseSilenceMs;
/** A tab that nobody has looked at for so long gives its connection back: browsers have six for one hub. */
const HIDDEN_MS = 60_000;

/**
 * Follows `GET /events` for as long as the page is there, through whatever breaks the connection.
 *
 * NOTE: No `EventSource`: that sends no header, and the workspace is named by one (decision 4).
 */
export class LiveEventStream {
  readonly #parts: NewsStreamParts;
  readonly #listeners = new Set<() => void>();
  #connection: Connection = { kind: 'connecting' };
  #lastEventId: string | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #abort = new AbortController();
  #wake: () => void = () => {};

  constructor(parts: NewsStreamParts) {
    this.#parts = parts;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Tells of each change of `connection`; answers with what ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs until the page is left. */
  async follow(): Promise<never> {
    addEventListener('online', () => this.#tryNow());
    document.addEventListener('visibilitychange', () => this.#onVisibility());
    for (;;) {
      await this.#readOnce();
      if (this.#connection.kind !== 'lost') this.#become({ kind: 'lost', sinceMs: Date.now() });
      await this.#pause();
    }
  }

  /** At once, in place of after the pause. */
  #tryNow(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#wake();
  }

  async #pause(): Promise<void> {
    const jitterMs = Math.random() * FIRST_PAUSE_MS;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    // Nobody looks: it is tried again when somebody does.
    if (!document.hidden) setTimeout(resolve, this.#pauseMs + jitterMs);
    await promise;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
  }

  #onVisibility(): void {
    if (!document.hidden) {
      this.#tryNow();
      return;
    }
    const abort = this.#abort;
    setTimeout(() => {
      if (document.hidden) abort.abort();
    }, HIDDEN_MS);
  }

  async #readOnce(): Promise<void> {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    try {
      const response = await fetch('/events', { headers: this.#headers(), signal });
      if (response.status === 401 || response.status === 403) this.#parts.onSignedOut();
      if (!response.ok || response.body === null) return;
      await this.#readBody(response.body);
    } catch {
      // Whatever broke it, the connection is lost and is made anew.
    }
  }

  async #readBody(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new SseDecoder();
    const reader = body.getReader();
    for (;;) {
      const silence = setTimeout(() => this.#abort.abort(), SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      for (const { data } of decoder.push(value)) this.#take(JSON.parse(data) as LiveEventMessage);
      this.#lastEventId = decoder.lastEventId || this.#lastEventId;
    }
  }

  #take(event: LiveEventMessage): void {
    if (this.#connection.kind !== 'live') {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#become({ kind: 'live' });
    }
    this.#parts.onEvent(event);
  }

  #headers(): Record<string, string> {
    return {
      Accept: 'text/event-stream',
      ...this.#parts.headers(),
      ...(this.#lastEventId === undefined ? {} : { 'Last-Event-ID': this.#lastEventId }),
    };
  }

  #become(connection: Connection): void {
    this.#connection = connection;
    for (const tell of this.#listeners) tell();
  }
}
