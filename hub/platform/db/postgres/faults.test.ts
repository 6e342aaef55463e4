import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Refusal } from '@svc/core/refusal';
import pg from 'pg';
import { type PostgresServer, postgresMissing, startPostgres } from '../../../../test/postgres.ts';
import { createStore, type Store } from '../../../build/create-store.ts';
import { failureOf } from '../fixtures/failure-of.ts';
import { chunk, newExecution, quota, STORE_OPTIONS, succeeded } from '../fixtures/samples.ts';

const open = (url: string) => createStore({ kind: 'postgres', url }, STORE_OPTIONS);

async function expectUnavailable(store: Store, reason: RegExp): Promise<void> {
  const failure = await failureOf(store.executions.accept(newExecution(), quota()));
  expect(failure).toBeInstanceOf(Refusal);
  expect(failure).toMatchObject({ code: 'unavailable' });
  expect(failure.message).toMatch(reason);
  expect(await store.health()).toEqual({ ok: false, reason: expect.stringMatching(reason) });
}

async function expectWorks(store: Store, used: number): Promise<void> {
  const { id } = newExecution();
  expect(await store.executions.accept(newExecution({ id }), quota())).toEqual({ kind: 'stored' });
  expect(await store.executions.finish(succeeded(id), [chunk(id, 1)])).toBe(true);
  expect(await store.health()).toEqual({ ok: true });
  expect(await store.executions.quotaUsed('w1', '2026-11')).toBe(used);
}

/** A connection of another program to the same database. */
async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

const suite = postgresMissing === undefined ? describe : describe.skip;

suite(`PostgreSQL${postgresMissing ? `: ${postgresMissing}` : ''}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);

  test('a server that stops is unavailable, and acknowledged writes are there when it is back', async () => {
    await using store = await open(await server.createDatabase());
    await expectWorks(store, 1);
    await server.crash();
    try {
      await expectUnavailable(store, /ECONNREFUSED|terminated|not queryable/);
      expect(await failureOf(store.executions.quotaUsed('w1', '2026-11'))).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('the store cannot be read'),
      });
    } finally {
      await server.start();
    }
    await expectWorks(store, 2);
  }, 60_000);

  test('a server that crashes in the middle of writing keeps what it acknowledged, and nothing half', async () => {
    await using store = await open(await server.createDatabase());
    const { executions } = store;
    const acknowledged: string[] = [];
    const enough = Promise.withResolvers<void>();
    const call = async (): Promise<never> => {
      for (;;) {
        const { id } = newExecution();
        await executions.accept(newExecution({ id }), quota());
        await executions.finish(succeeded(id), [chunk(id, 1), chunk(id, 2)]);
        if (acknowledged.push(id) === 200) enough.resolve();
      }
    };
    const callers = Array.from({ length: 16 }, () => failureOf(call()));
    await enough.promise;
    await server.crash();
    try {
      for (const failure of await Promise.all(callers))
        expect(failure).toMatchObject({ code: 'unavailable' });
    } finally {
      await server.start();
    }
    expect(await store.health()).toEqual({ ok: true });
    for (const id of acknowledged) {
      expect(await executions.find(id)).toMatchObject({ state: 'succeeded', lastSeq: 2 });
    }
    const { items } = await executions.list({ workspaceId: 'w1', limit: 100_000 });
    expect(await executions.quotaUsed('w1', '2026-11')).toBe(items.length);
    for (const { id, state } of items)
      expect(await executions.output(id, 0, 10)).toHaveLength(state === 'succeeded' ? 2 : 0);
  }, 60_000);

  test('idle connections that the server closed are replaced without an error', async () => {
    const url = await server.createDatabase();
    await using store = await open(url);
    await expectWorks(store, 1);
    await using other = await connect(url);
    await endOthers(other);
    await expectWorks(store, 2);
  }, 30_000);

  test('a read-only database is unavailable, and is used again when it is writable', async () => {
    const url = await server.createDatabase();
    await using store = await open(url);
    await using other = await connect(url);
    const name = new URL(url).pathname.slice(1);
    const set = async (value: 'on' | 'off') => {
      await other.query(`alter database ${name} set default_transaction_read_only = ${value}`);
      await endOthers(other);
    };
    await set('on');
    await expectUnavailable(store, /read-only transaction/);
    expect(await store.executions.quotaUsed('w1', '2026-11')).toBe(0);
    // Not ended by us this time: the sessions of the store have it from their start.
    await other.query(`alter database ${name} set default_transaction_read_only = off`);
    await expectWorks(store, 1);
  }, 30_000);

  test('a row that another program has locked is waited for, up to a limit', async () => {
    const url = await server.createDatabase();
    await using store = await open(`${url}?lock_timeout=3000`);
    await expectWorks(store, 1);
    await using other = await connect(url);
    await other.query('begin');
    await other.query('select * from quota for update');
    const failure = await failureOf(store.executions.accept(newExecution(), quota()));
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('lock timeout') });
    const waiting = store.executions.accept(newExecution(), quota());
    await other.query('commit');
    expect(await waiting).toEqual({ kind: 'stored' });
    await expectWorks(store, 3);
  }, 30_000);

  test('a group that collides with another transaction is tried again', async () => {
    const url = await server.createDatabase();
    await using store = await open(url);
    const { executions } = store;
    const accept = (workspaceId: string) =>
      executions.accept(newExecution({ workspaceId }), quota(9, workspaceId));
    await Promise.all([accept('a'), accept('b')]);
    await using other = await connect(url);
    await using watcher = await connect(url);
    await other.query('begin');
    await other.query("select * from quota where workspace_id = 'b' for update");
    // The group takes a and waits for b; then the other waits for a: one of them has to give way.
    const group = Promise.all([accept('a'), accept('b')]);
    await untilWaiting(watcher);
    const rival = other
      .query("select * from quota where workspace_id = 'a' for update")
      .catch(() => undefined);
    await rival;
    await other.query('rollback');
    expect(await group).toEqual([{ kind: 'stored' }, { kind: 'stored' }]);
    for (const workspaceId of ['a', 'b']) expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(2);
  }, 30_000);

  test('hubs that share a database do not deadlock over the quotas of busy workspaces', async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const workspaces = Array.from({ length: 12 }, (_, index) => `w${index}`);
    for (let round = 0; round < 15; round += 1) {
      await Promise.all(
        stores.flatMap(({ executions }, store) => {
          // Another order at each store in each round: these steps visit all twelve.
          const step = [1, 5, 7, 11][(round + store) % 4] ?? 1;
          const order = workspaces.map((_, n) => workspaces[(n * step + round) % 12] ?? '');
          return order.map((id) => executions.accept(newExecution({ workspaceId: id }), quota(1_000, id)));
        }),
      );
    }
    for (const id of workspaces) expect(await stores[0]?.executions.quotaUsed(id, '2026-11')).toBe(45);
    for (const store of stores) await store[Symbol.asyncDispose]();
    // A session hands its figures in at its end.
    await using other = await connect(url);
    const { rows } = await other.query(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(rows).toEqual([{ deadlocks: '0' }]);
  }, 60_000);

  test('an unreachable server is reported at the start, without the password', async () => {
    const failure = await failureOf(open('postgres://svc:hunter2@127.0.0.1:1/svc'));
    expect(failure).toMatchObject({ code: 'unavailable' });
    expect(failure.message).toContain('ECONNREFUSED');
    expect(failure.message).not.toContain('hunter2');
  });

  test('a backup is the business of pg_dump', async () => {
    await using store = await open(await server.createDatabase());
    expect(await failureOf(store.backup('/tmp/never.db'))).toMatchObject({
      code: 'not_supported',
      message: expect.stringContaining('pg_dump'),
    });
  });
});

/** Settles when all other sessions of a database have ended, which is later than the request to end them. */
async function endOthers(client: pg.Client): Promise<void> {
  const others = 'select pg_terminate_backend(pid, 30000) from pg_stat_activity';
  await client.query(`${others} where datname = current_database() and pid <> pg_backend_pid()`);
}

/** Settles when a session of the server waits for a lock. */
async function untilWaiting(watcher: pg.Client): Promise<void> {
  for (;;) {
    const { rowCount } = await watcher.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'");
    if (rowCount !== null && rowCount > 0) return;
  }
}
