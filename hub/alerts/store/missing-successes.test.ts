import { expect, test } from 'bun:test';
import type { Store } from '../../build/create-store.ts';
import {
  auditEntry,
  HOUR_MS,
  NOW_MS,
  newExecution,
  newId,
  newWorkspace,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import { alertRule, storedRule } from '../fixtures/alert-store.ts';
import { SuccessWatch } from '../watch-successes.ts';

const RULE = { slug: 'deploy', events: ['no_success_since'], noSuccessMins: 60 } as const;

/** A hub whose clock stands still. */
function watchAt(store: Store, nowMs: number): SuccessWatch {
  return new SuccessWatch({
    clock: { nowMs: () => nowMs, at: () => () => undefined },
    random: { uuid: () => newId(), bytes: (count) => new Uint8Array(count) },
    ledger: store.executions,
    runs: store.pipelineRuns,
    lookups: { pipeline: () => undefined },
    missingSuccesses: store.missingSuccesses,
  });
}

async function alertsOf(store: Store, workspaceId: string): Promise<string[]> {
  const events = await store.alertOutbox.eventsToFanOut(1_000);
  return events.filter((one) => one.workspaceId === workspaceId).map(({ name }) => name);
}

/** An execution of the endpoint, created at one moment and ended at another. */
async function succeeded(store: Store, workspaceId: string, createdAtMs: number, endedAtMs: number) {
  const execution = newExecution({ id: newId(createdAtMs), workspaceId, createdAtMs });
  await store.executions.accept(execution);
  const finish = {
    ...({ executionId: execution.id, state: 'succeeded', exitCode: 0, durationMs: 5, endedAtMs } as const),
    ...{ reason: undefined, error: undefined, errorCode: undefined, data: undefined },
  };
  expect(await store.executions.finish(finish, [])).toBe(true);
}

onBothDatabases(({ open, newLocation }) => {
  test('a rule that two hubs declare at once is one rule', async () => {
    await using store = await open(await newLocation());
    const { workspaceId } = await newWorkspace(store);
    const rule = alertRule({ workspaceId });
    const declare = () => store.alertRules.declare(rule, auditEntry(workspaceId));
    await Promise.all([declare(), declare()]);
    await declare();
    expect(await store.alertRules.of(workspaceId)).toEqual([rule]);
  });

  test('a declared rule whose endpoint is gone, by whichever hub, is not read, and is found for its removal', async () => {
    await using store = await open(await newLocation());
    const by = { key: '1', tokenId: 't1', instance: 'i1' };
    const gone = { ...by, endpointId: newId() };
    const { workspaceId } = await newWorkspace(store);
    const { id } = await storedRule(store, { ...RULE, workspaceId, declared: gone });
    const rule = async () => [
      (await store.alertRules.of(workspaceId)).length,
      (await store.alertRules.find(workspaceId, id))?.id,
      (await store.missingSuccesses.rules()).filter((one) => one.id === id).length,
    ];
    expect(await rule()).toEqual([0, undefined, 0]);
    expect(await store.alertRules.declared(workspaceId)).toMatchObject([
      { rule: { declared: gone }, registeredBy: undefined },
    ]);
    const definition = JSON.stringify({ name: 'deploy', command: 'true' });
    const file = { endpoints: [{ slug: 'deploy', definitionHash: '0a'.repeat(32), definition }] };
    const { registered } = await store.endpoints.register(workspaceId, 'build-1', file, NOW_MS);
    const declared = { ...by, endpointId: registered[0]?.id ?? expect.unreachable() };
    const kept = await storedRule(store, { ...RULE, workspaceId, declared });
    expect(await store.alertRules.of(workspaceId)).toMatchObject([{ id: kept.id, declared }]);
    expect(await store.alertRules.declared(workspaceId)).toContainEqual({
      rule: expect.objectContaining({ declared }),
      registeredBy: 'build-1',
    });
  });

  test('two hubs that check at once alert once, and report the next success once', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const { workspaceId } = await storedRule(one, RULE);
    const checkAt = (nowMs: number) =>
      Promise.all(
        [one, other]
          .flatMap((store) => [watchAt(store, nowMs), watchAt(store, nowMs)])
          .map((watch) => watch.publish()),
      );
    await checkAt(NOW_MS + HOUR_MS - 1);
    expect(await alertsOf(one, workspaceId)).toEqual([]);
    await checkAt(NOW_MS + HOUR_MS);
    await checkAt(NOW_MS + HOUR_MS + 1);
    expect(await alertsOf(one, workspaceId)).toEqual(['no_success_since']);
    await succeeded(other, workspaceId, NOW_MS + HOUR_MS, NOW_MS + HOUR_MS + 5);
    await checkAt(NOW_MS + HOUR_MS + 10);
    await checkAt(NOW_MS + HOUR_MS + 11);
    expect(await alertsOf(one, workspaceId)).toEqual(['no_success_since', 'success_resumed']);
  });

  test('a success counts by its end, though it began a day before', async () => {
    await using store = await open();
    const { workspaceId } = await storedRule(store, RULE);
    await succeeded(store, workspaceId, NOW_MS - 22 * HOUR_MS, NOW_MS + HOUR_MS);
    await succeeded(store, workspaceId, NOW_MS - HOUR_MS, NOW_MS - HOUR_MS + 5);
    await watchAt(store, NOW_MS + 2 * HOUR_MS).publish();
    expect(await alertsOf(store, workspaceId)).toEqual([]);
    await watchAt(store, NOW_MS + 2 * HOUR_MS + 1).publish();
    expect(await alertsOf(store, workspaceId)).toEqual(['no_success_since']);
  });

  test('a rule that is off, or was deleted, waits for nothing; one that is switched on again is evaluated again', async () => {
    await using store = await open();
    const rule = await storedRule(store, RULE);
    const { workspaceId, id } = rule;
    const entry = { ...auditEntry(workspaceId), atMs: NOW_MS };
    const late = watchAt(store, NOW_MS + 5 * HOUR_MS);
    await late.publish();
    expect(await store.alertRules.change({ ...rule, isEnabled: false }, entry, true)).toBe(true);
    await late.publish();
    expect(await alertsOf(store, workspaceId)).toEqual(['no_success_since']);
    expect(await store.alertRules.change({ ...rule, revision: 2 }, entry, true)).toBe(true);
    await late.publish();
    expect(await alertsOf(store, workspaceId)).toEqual(['no_success_since', 'no_success_since']);
    expect(await store.alertRules.remove(workspaceId, id, entry)).toBe(true);
    expect((await store.missingSuccesses.rules()).filter((one) => one.workspaceId === workspaceId)).toEqual(
      [],
    );
  });
});
