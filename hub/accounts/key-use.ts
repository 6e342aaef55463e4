import type { UsedApiKey } from './account-ports.ts';
import type { Credentials } from './store/credentials.ts';

/** A write for each call would cost more than the call, and people only ask whether a key is still in use. */
const EVERY_MS = 60 * 60 * 1000;
const MOST = 50_000;

/** Records when keys were last used, to the hour. Calls do not wait for the write. */
export class KeyUse {
  readonly #credentials: Pick<Credentials, 'touchApiKey'>;
  readonly #reportBug: (error: unknown) => void;
  /** The last recorded use by key; newer than the value in the store. */
  readonly #noted = new Map<string, number>();

  constructor(credentials: Pick<Credentials, 'touchApiKey'>, reportBug: (error: unknown) => void) {
    this.#credentials = credentials;
    this.#reportBug = reportBug;
  }

  note({ id, usedAtMs = 0 }: UsedApiKey, nowMs: number): void {
    if (nowMs - (this.#noted.get(id) ?? usedAtMs) < EVERY_MS) return;
    if (this.#noted.size >= MOST) this.#noted.clear();
    this.#noted.set(id, nowMs);
    this.#credentials.touchApiKey(id, nowMs).catch(this.#reportBug);
  }
}
