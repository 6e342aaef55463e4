import type pg from 'pg';
import { unavailable } from '../unavailable.ts';
import type { Transaction } from '../unit/group-commit.ts';
import type { Outcome, Unit } from '../unit/statement.ts';
import { isCollision, isDisconnect, isReadOnly } from './errors.ts';
import { Group } from './group.ts';

const ATTEMPTS = 5;

type Attempt =
  | { readonly kind: 'committed'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'failed'; readonly error: unknown; readonly next: 'repeat' | 'reconnect' | 'give up' }
  /** The connection was lost while the commit was on its way. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** Commits groups of units in transactions of PostgreSQL, again where two collide. */
export class PostgresTransaction implements Transaction {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async commitAll(units: readonly Unit[]): Promise<readonly Outcome[]> {
    for (let attempts = 1; ; attempts += 1) {
      const attempt = await this.#attempt(units);
      if (attempt.kind === 'committed') return attempt.outcomes;
      if (attempt.kind === 'unknown') throw unavailable('write', attempt.error, true);
      const mayRepeat = attempt.next === 'repeat' || (attempt.next === 'reconnect' && attempts === 1);
      if (!mayRepeat || attempts === ATTEMPTS) throw unavailable('write', attempt.error);
    }
  }

  async #attempt(units: readonly Unit[]): Promise<Attempt> {
    const client = await this.#pool.connect().catch((error: unknown) => ({ error }));
    if ('error' in client) return { kind: 'failed', error: client.error, next: 'give up' };
    const group = new Group(client, units);
    try {
      const outcomes = (await group.commitTogether()) ?? (await group.commitApart());
      client.release();
      return { kind: 'committed', outcomes };
    } catch (error) {
      client.release(true);
      if (group.isCommitting && isDisconnect(error)) return { kind: 'unknown', error };
      if (isCollision(error)) return { kind: 'failed', error, next: 'repeat' };
      // A connection may have been dead, or its session out of date, for long; a new one may work.
      return { kind: 'failed', error, next: !group.hasBegun || isReadOnly(error) ? 'reconnect' : 'give up' };
    }
  }
}
