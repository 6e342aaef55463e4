import { hashToken } from '../accounts/make-tokens.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Clock } from '../platform/world.ts';

const MAX_ENTRIES = 50_000;

/**
 * Records which keys and access tokens AI agents have: those that were used at `/mcp`. Calls with them need the approval of a
 * signed-in member, also over plain HTTP (decision 75, approval of calls of agents).
 */
export class AgentCredentials {
  readonly #credentials: Pick<Credentials, 'markAgent'>;
  readonly #clock: Clock;
  /** The hashes that this hub has marked; a second mark would change nothing. */
  readonly #marked = new Set<string>();

  constructor(credentials: Pick<Credentials, 'markAgent'>, clock: Clock) {
    this.#credentials = credentials;
    this.#clock = clock;
  }

  /** Stores the mark before the request is answered, so each call of an agent is known as one. */
  async mark(token: string): Promise<void> {
    const hash = hashToken(token);
    if (this.#marked.has(hash)) return;
    await this.#credentials.markAgent(hash, this.#clock.nowMs());
    if (this.#marked.size >= MAX_ENTRIES) this.#marked.clear();
    this.#marked.add(hash);
  }
}
