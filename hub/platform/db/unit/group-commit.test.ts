import { describe, expect, test } from 'bun:test';
import { Refusal } from '@svc/core/refusal';
import { failureOf } from '../fixtures/failure-of.ts';
import { newExecution, quota, succeeded } from '../fixtures/samples.ts';
import { onBothDatabases } from '../fixtures/stores.ts';
import { GroupCommit, type Transaction } from './group-commit.ts';
import type { Outcome, UnitOfWork } from './statement.ts';

/** A transaction that takes as long as the test wants, and what it was given. */
class PausedTransaction implements Transaction {
  readonly groups: UnitOfWork[][] = [];
  readonly #pending: PromiseWithResolvers<readonly Outcome[]>[] = [];

  commitAll(units: readonly UnitOfWork[]): Promise<readonly Outcome[]> {
    this.groups.push([...units]);
    const pending = Promise.withResolvers<readonly Outcome[]>();
    this.#pending.push(pending);
    return pending.promise;
  }

  commit(): void {
    this.#pending.shift()?.resolve((this.groups.at(-1) ?? []).map(() => ({ kind: 'stored' })));
  }

  fail(error: unknown): void {
    this.#pending.shift()?.reject(error);
  }
}

const unitOf = (value: string | Uint8Array): UnitOfWork => [{ text: { sql: 'x' }, values: [value] }];
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('pending commits', () => {
  test('in one turn of the event loop form one group, and later ones the next group, in order', async () => {
    const transaction = new PausedTransaction();
    const group = new GroupCommit(transaction);
    const first = ['a', 'b'].map((it) => group.commit(unitOf(it)));
    await settled();
    const second = ['c', 'd', 'e'].map((it) => group.commit(unitOf(it)));
    await settled();
    expect(transaction.groups).toEqual([[unitOf('a'), unitOf('b')]]);
    transaction.commit();
    await Promise.all(first);
    await settled();
    expect(transaction.groups[1]).toEqual([unitOf('c'), unitOf('d'), unitOf('e')]);
    transaction.commit();
    expect(await Promise.all(second)).toEqual(Array(3).fill({ kind: 'stored' }));
    expect(group.figures).toEqual({ units: 5, commits: 2 });
  });

  test('are grouped up to a number and a size in bytes', async () => {
    const transaction = new PausedTransaction();
    const group = new GroupCommit(transaction);
    const many = Array.from({ length: 600 }, (_, index) => group.commit(unitOf(`${index}`)));
    const big = Array.from({ length: 3 }, () => group.commit(unitOf(new Uint8Array(5 << 20))));
    for (let commits = 0; commits < 5; commits += 1) {
      await settled();
      transaction.commit();
    }
    await Promise.all([...many, ...big]);
    expect(transaction.groups.map((units) => units.length)).toEqual([512, 89, 1, 1]);
  });

  test('is refused when too much waits already, and taken again when there is room', async () => {
    const transaction = new PausedTransaction();
    const group = new GroupCommit(transaction);
    const waiting = Array.from({ length: 9 }, () => group.commit(unitOf(new Uint8Array(30 << 20))));
    const refused = await failureOf(group.commit(unitOf('one more')));
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused).toMatchObject({ code: 'unavailable', message: expect.stringContaining('9 writes wait') });
    await settled();
    const taken = group.commit(unitOf('one more'));
    for (let commits = 0; commits < 10; commits += 1) {
      transaction.commit();
      await settled();
    }
    await Promise.all([...waiting, taken]);
  });

  test('fails with its own group only', async () => {
    const transaction = new PausedTransaction();
    const group = new GroupCommit(transaction);
    const first = [failureOf(group.commit(unitOf('a'))), failureOf(group.commit(unitOf('b')))];
    await settled();
    const second = group.commit(unitOf('c'));
    transaction.fail(new Error('the disk is full'));
    for (const failure of await Promise.all(first)) expect(failure.message).toBe('the disk is full');
    await settled();
    transaction.commit();
    expect(await second).toEqual({ kind: 'stored' });
  });

  test('is answered before closing settles; afterwards nothing is taken', async () => {
    const transaction = new PausedTransaction();
    const group = new GroupCommit(transaction);
    const ended: string[] = [];
    void group.commit(unitOf('a')).then(() => ended.push('a'));
    const closed = group.close().then(() => ended.push('closed'));
    expect((await failureOf(group.commit(unitOf('b')))).message).toContain('disposed of');
    await settled();
    expect(ended).toEqual([]);
    transaction.commit();
    await closed;
    expect(ended).toEqual(['a', 'closed']);
  });
});

onBothDatabases(({ open }) => {
  test('200 calls at once share a handful of commits', async () => {
    await using store = await open();
    const before = store.figures;
    const calls = Array.from({ length: 200 }, () => newExecution());
    await Promise.all(calls.map((call) => store.executions.accept(call, quota())));
    await Promise.all(calls.map(({ id }) => store.executions.finish(succeeded(id), [])));
    expect(store.figures.units - before.units).toBe(400);
    expect(store.figures.commits - before.commits).toBeLessThanOrEqual(4);
  });

  test('a unit that fails or is refused takes nothing else of its group with it', async () => {
    await using store = await open();
    const { executions, signInLinks } = store;
    const claim = { endpointId: 'e1', credential: 'k1', key: 'same', requestHash: 'r1', expiresAtMs: 9e15 };
    const link = (id: string) => ({
      id,
      email: 'ada@example.org',
      createdAtMs: 1,
      expiresAtMs: 2,
      usedAtMs: undefined,
    });
    await signInLinks.add(link('there'));
    const before = store.figures.commits;
    const [first, wrong, second] = await Promise.all([
      executions.accept(newExecution(), quota(), claim),
      // A second row with one key is what the database does not take.
      failureOf(signInLinks.add(link('there'))),
      executions.accept(newExecution(), quota(), claim),
      signInLinks.add(link('beside')),
    ]);
    expect([first.kind, second.kind].toSorted()).toEqual(['repeated', 'stored']);
    expect(wrong.message).toMatch(/unique/i);
    expect(await signInLinks.find('beside')).toEqual(link('beside'));
    expect(await executions.quotaUsed('w1', '2026-11')).toBe(1);
    expect(store.figures.commits - before).toBe(1);
  });
});
