import type pg from 'pg';
import { reasonOf, unavailable } from '../unavailable.ts';
import type { Transaction } from '../unit/group-commit.ts';
import type { Outcome, Statement, UnitOfWork } from '../unit/statement.ts';
import { isBug, isCollision, isConsequence, isDisconnect, isReadOnly, isTaken } from './errors.ts';

/** A unit in a group, with its result. */
interface Member {
  readonly unit: UnitOfWork;
  outcome: Outcome;
}

interface Step {
  readonly member: Member;
  readonly statement: Statement;
}

/** One attempt to commit several units in one transaction. */
class Group {
  readonly #client: pg.PoolClient;
  readonly #members: readonly Member[];
  #hasBegun = false;
  #isCommitting = false;

  constructor(client: pg.PoolClient, units: readonly UnitOfWork[]) {
    this.#client = client;
    this.#members = units.map((unit) => ({ unit, outcome: { kind: 'stored' } }));
  }

  /** The server has answered. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** A connection that is lost after this point leaves open whether the group is stored. */
  get isCommitting(): boolean {
    return this.#isCommitting;
  }

  /**
   * The fast way: sends all statements at once. Those on contended rows come first, because a unit that is refused there
   * ends early. Undefined when a unit would have to be rolled back; then nothing is stored.
   */
  async commitTogether(): Promise<readonly Outcome[] | undefined> {
    const [claims, others] = this.#steps();
    // NOTE: Both are sent before either answer is awaited.
    const [, claimed] = await Promise.all([this.#begin(), this.#sendAll(claims)]);
    const going = others.filter(({ member }) => member.outcome.kind === 'stored');
    const wentWell = claimed && !claims.some(isHalfClaimed) && (await this.#sendAll(going));
    if (!wentWell || going.some(({ member }) => mustTurnBack(member))) {
      await this.#client.query('rollback');
      return undefined;
    }
    return await this.#commit();
  }

  /** The slow way: one unit after another, each in a savepoint, so that a failing unit is rolled back alone. */
  async commitApart(): Promise<readonly Outcome[]> {
    await this.#begin();
    for (const member of this.#members) {
      await this.#client.query('savepoint unit');
      member.outcome = await this.#run(member.unit);
      if (member.outcome.kind !== 'stored') await this.#client.query('rollback to savepoint unit');
      await this.#client.query('release savepoint unit');
    }
    return await this.#commit();
  }

  async #begin(): Promise<void> {
    await this.#client.query('begin');
    this.#hasBegun = true;
  }

  async #commit(): Promise<readonly Outcome[]> {
    this.#isCommitting = true;
    const { command } = await this.#client.query('commit');
    if (command !== 'COMMIT') throw new Error('the server rolled the transaction back');
    return this.#members.map(({ outcome }) => outcome);
  }

  /**
   * The statements on contended rows, and all others in the order of their units.
   *
   * The former are sorted by row: when two hubs commit groups that share rows, one waits for the other, and they never
   * deadlock.
   */
  #steps(): [claims: Step[], others: Step[]] {
    const steps = this.#members.flatMap((member) => member.unit.map((statement) => ({ member, statement })));
    const isClaim = ({ member, statement }: Step) =>
      member.unit.indexOf(statement) < countClaims(member.unit);
    const claims = steps.filter(isClaim).map((step) => ({ step, row: rowOf(step) }));
    claims.sort((a, b) => (a.row < b.row ? -1 : a.row > b.row ? 1 : 0));
    return [claims.map(({ step }) => step), steps.filter((step) => !isClaim(step))];
  }

  /** Records the refused units. False when a statement is wrong, because it invalidates the whole transaction. */
  async #sendAll(steps: readonly Step[]): Promise<boolean> {
    const results = await Promise.allSettled(steps.map(({ statement }) => this.#send(statement)));
    const failures = results
      .filter((result) => result.status === 'rejected')
      .map(({ reason }) => reason as unknown);
    const cause = failures.find((failure) => !isConsequence(failure));
    if (cause !== undefined && isBug(cause)) return false;
    if (failures.length > 0) throw cause ?? failures[0];
    steps.forEach(({ member, statement }, index) => {
      const { unlessChanged } = statement.text;
      const result = results[index];
      if (unlessChanged !== undefined && result?.status === 'fulfilled' && result.value === 0)
        member.outcome = { kind: 'refused', tag: unlessChanged };
    });
    return true;
  }

  async #run(unit: UnitOfWork): Promise<Outcome> {
    for (const statement of unit) {
      const { unlessChanged, ifExists } = statement.text;
      try {
        const changes = await this.#send(statement);
        if (changes === 0 && unlessChanged !== undefined) return { kind: 'refused', tag: unlessChanged };
      } catch (error) {
        if (!isBug(error)) throw error;
        if (ifExists !== undefined && isTaken(error)) return { kind: 'refused', tag: ifExists };
        return { kind: 'failed', error: new Error(reasonOf(error), { cause: error }) };
      }
    }
    return { kind: 'stored' };
  }

  /** The number of changed rows. */
  async #send({ text, values }: Statement): Promise<number> {
    const { sql } = text;
    const { rowCount } = await this.#client.query({
      name: preparedName(sql),
      text: sql,
      values: values as unknown[],
    });
    return rowCount ?? 0;
  }
}

/** The statements on contended rows at the beginning of a unit. A unit with several of them gets all or none. */
function countClaims(unit: UnitOfWork): number {
  const count = unit.findIndex(({ text }) => text.contended === undefined);
  return count < 0 ? unit.length : count;
}

/** Sorted by contention, then by table: the same order in every group. */
function rowOf({ statement: { text, values } }: Step): string {
  return `${String(values[0])} ${text.sql}`;
}

/** One of the unit's rows was refused after another may have been changed. */
function isHalfClaimed({ member: { unit, outcome } }: Step): boolean {
  return outcome.kind === 'refused' && countClaims(unit) > 1;
}

/** The unit was sent as a whole before it was refused. A single statement that changed nothing needs no rollback. */
function mustTurnBack({ unit, outcome }: Member): boolean {
  return outcome.kind === 'refused' && unit.length > 1;
}

const names = new Map<string, string>();

/**
 * The name of the prepared statement, the same on all connections, because planning a query costs the server more than
 * running it. Only for a limited number of fixed texts.
 */
export function preparedName(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `svc_${names.size + 1}`;
    names.set(sql, name);
  }
  return name;
}

const ATTEMPTS = 5;

type Attempt =
  | { readonly kind: 'committed'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'failed'; readonly error: unknown; readonly next: 'repeat' | 'reconnect' | 'give up' }
  /** The connection was lost while the commit was on its way. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** Commits groups of units in transactions of PostgreSQL. Repeats a transaction that conflicts with another. */
export class PostgresTransaction implements Transaction {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async commitAll(units: readonly UnitOfWork[]): Promise<readonly Outcome[]> {
    for (let attempts = 1; ; attempts += 1) {
      const attempt = await this.#attempt(units);
      if (attempt.kind === 'committed') return attempt.outcomes;
      if (attempt.kind === 'unknown') throw unavailable('write', attempt.error, true);
      const mayRepeat = attempt.next === 'repeat' || (attempt.next === 'reconnect' && attempts === 1);
      if (!mayRepeat || attempts === ATTEMPTS) throw unavailable('write', attempt.error);
    }
  }

  async #attempt(units: readonly UnitOfWork[]): Promise<Attempt> {
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
      // The connection may have been dead, or its session outdated, for a long time; a new one may work.
      return { kind: 'failed', error, next: !group.hasBegun || isReadOnly(error) ? 'reconnect' : 'give up' };
    }
  }
}
