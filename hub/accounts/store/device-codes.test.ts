import { expect, test } from 'bun:test';
import {
  auditEntry,
  DAY_MS,
  HOUR_MS,
  NOW_MS,
  newId,
  newWorkspace,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { AccessToken, DeviceCode } from '../account-ports.ts';
import type { Credentials } from './credentials.ts';

const newCode = (more: Partial<DeviceCode> = {}): DeviceCode => ({
  id: newId(),
  deviceHash: newId(),
  userHash: newId(),
  clientName: 'svc on build-1',
  state: 'pending',
  intervalSec: 5,
  createdAtMs: NOW_MS,
  expiresAtMs: NOW_MS + HOUR_MS,
  polledAtMs: undefined,
  userId: undefined,
  workspaceId: undefined,
  ...more,
});

const tokenOf = (userId: string, workspaceId: string): AccessToken => ({
  id: newId(),
  kind: 'personal',
  userId,
  workspaceId,
  hash: newId(),
  last4: 'wxyz',
  createdAtMs: NOW_MS,
  expiresAtMs: NOW_MS + HOUR_MS,
  epoch: 0,
  name: undefined,
  usedAtMs: undefined,
  agentSinceMs: undefined,
  passkeyId: undefined,
});

async function openSession(
  { credentials }: { readonly credentials: Credentials },
  userId: string,
  workspaceId: string,
): Promise<string> {
  const session = { ...tokenOf(userId, workspaceId), kind: 'session', workspaceId: undefined } as const;
  await credentials.addAccessToken(session, auditEntry(workspaceId));
  return session.id;
}

onBothDatabases(({ shared, open }) => {
  test('a code reads back by each of its hashes as stored', async () => {
    const { deviceCodes } = await shared();
    const code = newCode({ clientName: undefined });
    expect(await deviceCodes.add(code)).toBe(true);
    expect(await deviceCodes.byDeviceHash(code.deviceHash)).toEqual(code);
    expect(await deviceCodes.byUserHash(code.userHash)).toEqual(code);
    expect(await deviceCodes.byDeviceHash(code.userHash)).toBeUndefined();
    expect(await deviceCodes.byUserHash(code.deviceHash)).toBeUndefined();
  });

  test('two pending codes never have the same user code', async () => {
    const { deviceCodes } = await shared();
    const code = newCode();
    await deviceCodes.add(code);
    expect(await deviceCodes.add(newCode({ userHash: code.userHash }))).toBe(false);
    expect(await deviceCodes.byUserHash(code.userHash)).toEqual(code);
  });

  test('one of two concurrent decisions wins', async () => {
    const store = await shared();
    const { deviceCodes } = store;
    const code = newCode();
    await deviceCodes.add(code);
    const { workspaceId, userId } = await newWorkspace(store);
    const sessionId = await openSession(store, userId, workspaceId);
    const approval = { state: 'approved', userId, workspaceId } as const;
    const approved = { ...approval, sessionId };
    const all = Array.from({ length: 20 }, (_, index) =>
      deviceCodes.decide(
        code.id,
        index % 2 === 0 ? { state: 'denied' } : approved,
        auditEntry(workspaceId, { atMs: NOW_MS + 1 }),
      ),
    );
    const decided = await Promise.all(all);
    expect(decided.filter(Boolean)).toHaveLength(1);
    const by = decided.indexOf(true) % 2 === 0 ? { state: 'denied' as const } : approval;
    expect(await deviceCodes.byUserHash(code.userHash)).toEqual({ ...code, ...by });
  });

  test('an expired code cannot be decided', async () => {
    const { deviceCodes } = await shared();
    const code = newCode();
    await deviceCodes.add(code);
    const late = auditEntry('w1', { atMs: code.expiresAtMs });
    expect(await deviceCodes.decide(code.id, { state: 'denied' }, late)).toBe(false);
    const inTime = auditEntry('w1', { atMs: code.expiresAtMs - 1 });
    expect(await deviceCodes.decide(code.id, { state: 'denied' }, inTime)).toBe(true);
  });

  test('an approved code gives one token to many concurrent requests', async () => {
    const store = await shared();
    const { workspaceId, userId } = await newWorkspace(store);
    const code = newCode();
    const entry = auditEntry(workspaceId);
    await store.deviceCodes.add(code);
    expect(await store.deviceCodes.redeem(code.id, tokenOf(userId, workspaceId), entry)).toBe('used');
    const approved = { state: 'approved', userId, workspaceId } as const;
    expect(await store.deviceCodes.decide(code.id, { ...approved, sessionId: newId() }, entry)).toBe(false);
    const sessionId = await openSession(store, userId, workspaceId);
    await store.deviceCodes.decide(code.id, { ...approved, sessionId }, entry);
    const tokens = Array.from({ length: 20 }, () => tokenOf(userId, workspaceId));
    const outcomes = await Promise.all(
      tokens.map((token) => store.deviceCodes.redeem(code.id, token, entry)),
    );
    const redeemed = outcomes.map((outcome) => outcome === 'stored');
    expect(redeemed.filter(Boolean)).toHaveLength(1);
    const stored = await Promise.all(tokens.map(({ hash }) => store.credentials.accessTokenByHash(hash)));
    expect(stored.map(Boolean)).toEqual(redeemed);
  });

  test('the polling of a code is recorded', async () => {
    const { deviceCodes } = await shared();
    const code = newCode();
    await deviceCodes.add(code);
    await deviceCodes.polled(code.id, NOW_MS + 7, 10);
    expect(await deviceCodes.byUserHash(code.userHash)).toEqual({
      ...code,
      polledAtMs: NOW_MS + 7,
      intervalSec: 10,
    });
  });

  test('a code that expired long ago is removed', async () => {
    await using store = await open();
    const code = newCode();
    await store.deviceCodes.add(code);
    await store.sweep(code.expiresAtMs + 30 * DAY_MS);
    expect(await store.deviceCodes.byUserHash(code.userHash)).toEqual(code);
    await store.sweep(code.expiresAtMs + 30 * DAY_MS + 1);
    expect(await store.deviceCodes.byUserHash(code.userHash)).toBeUndefined();
  });
});
