import { expect, test } from 'bun:test';
import { Refusal } from '@svc/core/refusal';
import { failureOf } from '../../platform/db/fixtures/failure-of.ts';
import { newExecution, newId, succeeded } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { ExecutionFilter, ExecutionLedger } from '../execution-ports.ts';

async function idsOf(executions: ExecutionLedger, filter: Omit<ExecutionFilter, 'limit'>, limit: number) {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await executions.list({ ...filter, limit, ...(cursor !== undefined && { cursor }) });
    pages.push(page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

onBothDatabases(({ shared, open }) => {
  test('lists a workspace newest first, page by page, each execution once', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const ids = Array.from({ length: 25 }, () => newId());
    await Promise.all(ids.map((id) => executions.accept(newExecution({ id, workspaceId }))));
    const newestFirst = ids.toReversed();
    expect(await idsOf(executions, { workspaceId }, 100)).toEqual([newestFirst]);
    const pages = await idsOf(executions, { workspaceId }, 10);
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(newestFirst);
    // A page that is just full is the last one.
    expect(await idsOf(executions, { workspaceId }, 25)).toEqual([newestFirst]);
    expect(await idsOf(executions, { workspaceId: newId() }, 10)).toEqual([[]]);
  });

  test('filters by endpoint, state and caller, alone and together, and never beyond the workspace', async () => {
    const { executions } = await shared();
    const [workspaceId, foreign] = [newId(), newId()];
    const all = ['deploy', 'logs'].flatMap((slug) =>
      ['k1', 'k2'].flatMap((callerId) =>
        (['running', 'succeeded'] as const).map((state) => ({ id: newId(), slug, callerId, state })),
      ),
    );
    for (const { id, slug, callerId, state } of all) {
      await executions.accept(newExecution({ id, workspaceId, slug, callerId }));
      await executions.accept(newExecution({ workspaceId: foreign, slug, callerId }));
      if (state === 'succeeded') await executions.finish(succeeded(id), []);
    }
    const filters = [
      { slug: 'deploy' },
      { callerId: 'k2' },
      { states: ['succeeded'] as const },
      { slug: 'logs', states: ['running'] as const },
      { slug: 'logs', states: ['running'] as const, callerId: 'k1' },
      { states: ['running', 'succeeded', 'failed'] as const, slug: 'deploy' },
      { states: ['failed'] as const },
    ];
    for (const filter of filters) {
      const { states, ...fields }: Omit<ExecutionFilter, 'workspaceId' | 'limit'> = filter;
      const expected = all.filter(
        (one) =>
          Object.entries(fields).every(([key, value]) => one[key as keyof typeof one] === value) &&
          (states?.includes(one.state) ?? true),
      );
      const pages = await idsOf(executions, { workspaceId, ...filter }, 3);
      expect({ filter, ids: pages.flat() }).toEqual({
        filter,
        ids: expected.map(({ id }) => id).toReversed(),
      });
    }
  });

  test('a cursor of one workspace opens nothing of another', async () => {
    const { executions } = await shared();
    const [mine, theirs] = [newId(), newId()];
    for (let count = 0; count < 3; count += 1) {
      await executions.accept(newExecution({ workspaceId: mine }));
      await executions.accept(newExecution({ workspaceId: theirs }));
    }
    const { nextCursor } = await executions.list({ workspaceId: theirs, limit: 2 });
    const { items } = await executions.list({ workspaceId: mine, limit: 9, cursor: nextCursor ?? '' });
    expect(items.every(({ workspaceId }) => workspaceId === mine)).toBe(true);
  });

  test('an invalid cursor is refused', async () => {
    const { executions } = await shared();
    for (const cursor of ['', 'not a cursor!', "'; drop table executions; --", 'YQ==']) {
      const failure = await failureOf(executions.list({ workspaceId: 'w1', limit: 1, cursor }));
      expect(failure).toBeInstanceOf(Refusal);
      expect(failure).toMatchObject({ code: 'invalid_argument' });
    }
  });

  test('the unfinished executions of each hub are known, and which hubs have some', async () => {
    await using store = await open();
    const { executions } = store;
    const one = newExecution({ hubId: 'hub1', state: 'queued' });
    const other = newExecution({ hubId: 'hub2' });
    const ended = newExecution({ hubId: 'hub1' });
    const rejected = newExecution({ hubId: 'hub1', state: 'rejected', reason: 'quota' });
    for (const execution of [one, other, ended, rejected]) await executions.accept(execution);
    await executions.finish(succeeded(ended.id), []);
    expect(await executions.owners()).toEqual(['hub1', 'hub2']);
    expect((await executions.unfinished('hub1')).map(({ id }) => id)).toEqual([one.id]);
    expect((await executions.unfinished('hub2')).map(({ id }) => id)).toEqual([other.id]);
    expect(await executions.unfinished('hub3')).toEqual([]);
  });
});
