// Tokens of the operator's hosts, and the hosts that use them: decisions 1 and 49.
import { expect, test } from 'bun:test';
import { NOW_MS, newId } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

onBothDatabases(({ shared }) => {
  test('a runner token is found by its hash, before and after its revocation', async () => {
    const { runnerTokens } = await shared();
    const [id, hash] = [newId(), newId()];
    const token = { id, name: 'rack 3', hash, last4: 'p0Wd', createdAtMs: NOW_MS, revokedAtMs: undefined };
    await runnerTokens.add(token);
    expect(await runnerTokens.byHash(hash)).toEqual(token);
    expect(await runnerTokens.byHash(id)).toBeUndefined();
    expect(await runnerTokens.revoke(id, NOW_MS + 5)).toBe(true);
    expect(await runnerTokens.revoke(id, NOW_MS + 9)).toBe(true);
    expect((await runnerTokens.byHash(hash))?.revokedAtMs).toBe(NOW_MS + 5);
    expect(await runnerTokens.revokedSince(NOW_MS + 5)).toContain(id);
    expect(await runnerTokens.revokedSince(NOW_MS + 6)).not.toContain(id);
    expect(await runnerTokens.revoke(newId(), NOW_MS)).toBe(false);
    expect(await runnerTokens.list()).toContainEqual({ ...token, revokedAtMs: NOW_MS + 5 });
  });

  test('a host is connected to one hub, and only that hub can record its disconnect', async () => {
    const { hosts, hubs } = await shared();
    const hubId = newId();
    await hubs.heartbeat(hubId, NOW_MS);
    const instance = newId();
    const host = {
      instance,
      tokenId: 't1',
      version: '0.1.0',
      hostname: 'rack-3',
      engine: 'oci (crun)',
      capacity: 20,
    };
    const found = async () => (await hosts.all()).find((one) => one.instance === instance);
    await hosts.connected(host, { hubId, nowMs: NOW_MS });
    expect(await found()).toEqual({ ...host, hubId, connectedAtMs: NOW_MS, seenAtMs: NOW_MS });
    await hosts.gone(instance, { hubId: 'another', nowMs: NOW_MS + 3 });
    expect((await found())?.hubId).toBe(hubId);
    await hosts.gone(instance, { hubId, nowMs: NOW_MS + 4 });
    expect(await found()).toMatchObject({ hubId: undefined, seenAtMs: NOW_MS + 4 });
    await hosts.connected(host, { hubId, nowMs: NOW_MS + 5 });
    await hubs.forget(hubId);
    expect((await found())?.hubId).toBeUndefined();
    await hosts.hubStarted(hubId);
    await hubs.heartbeat(hubId, NOW_MS);
    expect((await found())?.hubId).toBeUndefined();
  });
});
