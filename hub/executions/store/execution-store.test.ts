import { expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS, NOW_MS, newExecution, newId, quota } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

/** An execution with its id was on record. */
const WAS_THERE = { kind: 'stored', wasThere: true } as const;

const claim = (key: string, more: object = {}) => ({
  endpointId: 'e1',
  credential: 'k1',
  key,
  requestHash: 'r1',
  expiresAtMs: NOW_MS + DAY_MS,
  ...more,
});

onBothDatabases(({ shared, open, newLocation }) => {
  test('an execution is read back as it was accepted', async () => {
    const { executions } = await shared();
    const execution = newExecution({
      asynchronous: true,
      readTokenHash: 'r',
      sealedArgs: 'sealed',
      args: '{"a":"\\u0000ü\\ud83d"}',
    });
    expect(await executions.accept(execution)).toEqual({ kind: 'stored' });
    expect(await executions.find(execution.id)).toEqual({
      ...execution,
      cancelRequestedAtMs: undefined,
      startedAtMs: NOW_MS,
      endedAtMs: undefined,
      exitCode: undefined,
      durationMs: undefined,
      error: undefined,
      errorCode: undefined,
      data: undefined,
      files: undefined,
      late: false,
      storedBytes: 0,
      lastSeq: 0,
      queuedAtMs: undefined,
    });
  });

  test('a queued execution has not started, and a rejected one has ended', async () => {
    const { executions } = await shared();
    const nobody = { agentName: undefined, agentInstance: undefined, agentBoot: undefined };
    const queued = newExecution({ state: 'queued', callerKind: 'anonymous', callerId: undefined, ...nobody });
    const rejected = newExecution({ state: 'rejected', reason: 'agent_offline', ...nobody });
    await Promise.all([executions.accept(queued), executions.accept(rejected)]);
    expect(await executions.find(queued.id)).toMatchObject({
      ...queued,
      startedAtMs: undefined,
      endedAtMs: undefined,
    });
    expect(await executions.find(rejected.id)).toMatchObject({ ...rejected, endedAtMs: NOW_MS });
    expect(await executions.find(newId())).toBeUndefined();
  });

  test('of 500 calls at once against a quota of 200, exactly 200 are stored', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const calls = Array.from({ length: 500 }, () => newExecution({ workspaceId }));
    const acceptances = await Promise.all(
      calls.map((call) => executions.accept(call, quota(200, workspaceId))),
    );
    expect(acceptances.filter(({ kind }) => kind === 'stored')).toHaveLength(200);
    const refused = acceptances.filter((acceptance) => acceptance.kind === 'quota_exceeded');
    expect(refused).toHaveLength(300);
    expect(new Set(refused.map(({ used }) => used))).toEqual(new Set([200]));
    expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(200);
    const { items } = await executions.list({ workspaceId, limit: 500 });
    const stored = calls.filter((_, index) => acceptances[index]?.kind === 'stored');
    expect(items.map(({ id }) => id).sort()).toEqual(stored.map(({ id }) => id).sort());
  });

  test('two hubs that share a database share the quota, exactly', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const hubs = [one, other];
    const outcomes = await Promise.all(
      Array.from({ length: 300 }, (_, index) => {
        const workspaceId = index % 3 === 0 ? 'busy' : 'quiet';
        const { executions } = hubs[index % 2] ?? one;
        return executions.accept(newExecution({ workspaceId }), quota(60, workspaceId));
      }),
    );
    expect(outcomes.filter(({ kind }) => kind === 'stored')).toHaveLength(120);
    expect(await one.executions.quotaUsed('busy', '2026-11')).toBe(60);
    expect(await other.executions.quotaUsed('quiet', '2026-11')).toBe(60);
  }, 30_000);

  test('a quota is of one workspace and one period; without a limit it is only counted', async () => {
    const { executions } = await shared();
    const [mine, theirs] = [newId(), newId()];
    const accept = (claimed: ReturnType<typeof quota>) =>
      executions.accept(newExecution({ workspaceId: claimed.workspaceId }), claimed);
    expect(await accept(quota(1, mine))).toEqual({ kind: 'stored' });
    expect(await accept(quota(1, mine))).toEqual({ kind: 'quota_exceeded', used: 1 });
    expect(await accept(quota(1, theirs))).toEqual({ kind: 'stored' });
    expect(await accept({ ...quota(1, mine), period: '2026-12' })).toEqual({ kind: 'stored' });
    expect(await accept(quota(undefined, mine))).toEqual({ kind: 'stored' });
    expect(await executions.quotaUsed(mine, '2026-11')).toBe(2);
    expect(await executions.quotaUsed(newId(), '2026-11')).toBe(0);
  });

  test('a quota of nothing refuses the first call', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const refused = { kind: 'quota_exceeded', used: 0 } as const;
    expect(await executions.accept(newExecution({ workspaceId }), quota(0, workspaceId))).toEqual(refused);
    expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(0);
  });

  test('of many calls with one key at the same moment, one is stored and the others get its id', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const calls = Array.from({ length: 40 }, () => newExecution({ workspaceId }));
    const key = newId();
    const acceptances = await Promise.all(
      calls.map((call) => executions.accept(call, quota(undefined, workspaceId), claim(key))),
    );
    const first = calls.find((_, index) => acceptances[index]?.kind === 'stored');
    expect(acceptances.filter(({ kind }) => kind === 'stored')).toHaveLength(1);
    const repeated = acceptances.filter(({ kind }) => kind === 'repeated');
    expect(repeated).toEqual(
      Array(39).fill({ kind: 'repeated', executionId: first?.id ?? '', requestHash: 'r1' }),
    );
    // A refused call left nothing behind: no quota, no execution.
    expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(1);
    const { items } = await executions.list({ workspaceId, limit: 100 });
    expect(items.map(({ id }) => id)).toEqual([first?.id ?? '']);
    expect(await executions.idempotent(claim(key), NOW_MS)).toEqual({
      executionId: first?.id ?? '',
      requestHash: 'r1',
    });
  });

  test('a key repeats only for its endpoint and credential, whatever the request', async () => {
    const { executions } = await shared();
    const [key, first] = [newId(), newExecution()];
    await executions.accept(first, undefined, claim(key));
    const other = (more: object) => executions.accept(newExecution(), undefined, claim(key, more));
    expect(await other({ requestHash: 'r2' })).toEqual({
      kind: 'repeated',
      executionId: first.id,
      requestHash: 'r1',
    });
    expect(await other({ endpointId: 'e2' })).toEqual({ kind: 'stored' });
    expect(await other({ credential: 'k2' })).toEqual({ kind: 'stored' });
  });

  test('a repeated call is answered though the quota is used up', async () => {
    const { executions } = await shared();
    const [workspaceId, key] = [newId(), newId()];
    const first = newExecution({ workspaceId });
    await executions.accept(first, quota(1, workspaceId), claim(key));
    const again = await executions.accept(newExecution({ workspaceId }), quota(1, workspaceId), claim(key));
    expect(again).toMatchObject({ kind: 'repeated', executionId: first.id });
    const fresh = await executions.accept(
      newExecution({ workspaceId }),
      quota(1, workspaceId),
      claim(newId()),
    );
    expect(fresh).toEqual({ kind: 'quota_exceeded', used: 1 });
  });

  test('a call that the quota refuses leaves its key free', async () => {
    const { executions } = await shared();
    const [workspaceId, key] = [newId(), newId()];
    await executions.accept(newExecution({ workspaceId }), quota(1, workspaceId));
    await executions.accept(newExecution({ workspaceId }), quota(1, workspaceId), claim(key));
    expect(await executions.idempotent(claim(key), NOW_MS)).toBeUndefined();
    const later = newExecution({ workspaceId });
    expect(await executions.accept(later, quota(2, workspaceId), claim(key))).toEqual({ kind: 'stored' });
  });

  test('a key that has expired stands for the next execution, swept or not', async () => {
    const { executions } = await shared();
    const [key, first] = [newId(), newExecution()];
    await executions.accept(first, undefined, claim(key, { expiresAtMs: NOW_MS + HOUR_MS }));
    expect(await executions.idempotent(claim(key), NOW_MS + HOUR_MS)).toBeUndefined();
    const early = newExecution({ createdAtMs: NOW_MS + HOUR_MS - 1 });
    expect(await executions.accept(early, undefined, claim(key))).toMatchObject({ kind: 'repeated' });
    const later = newExecution({ createdAtMs: NOW_MS + HOUR_MS });
    expect(await executions.accept(later, undefined, claim(key, { requestHash: 'r2' }))).toEqual({
      kind: 'stored',
    });
    expect(await executions.idempotent(claim(key), NOW_MS + HOUR_MS)).toEqual({
      executionId: later.id,
      requestHash: 'r2',
    });
  });

  test('the same acceptance twice, as after a lost answer, counts once, and is recognized', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const execution = newExecution({ workspaceId });
    expect(await executions.accept(execution, quota(5, workspaceId))).toEqual({ kind: 'stored' });
    expect(await executions.accept(execution, quota(5, workspaceId))).toEqual(WAS_THERE);
    expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(1);
  });

  test('and so it does with a key, and when it took the last unit of the quota', async () => {
    const { executions } = await shared();
    const [workspaceId, key] = [newId(), newId()];
    const execution = newExecution({ workspaceId });
    const accept = () => executions.accept(execution, quota(1, workspaceId), claim(key));
    expect(await accept()).toEqual({ kind: 'stored' });
    expect(await accept()).toEqual(WAS_THERE);
    expect(await executions.accept(execution, quota(1, workspaceId))).toEqual(WAS_THERE);
    expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(1);
  });

  test('text that PostgreSQL cannot hold does not stop an execution', async () => {
    const { executions } = await shared();
    const execution = newExecution({ slug: 'a\0b', agentName: 'lone \ud800 half' });
    await executions.accept(execution);
    expect(await executions.find(execution.id)).toMatchObject({
      slug: 'a\ufffdb',
      agentName: 'lone \ufffd half',
    });
  });
});
