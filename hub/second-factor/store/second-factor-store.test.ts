import { expect, test } from 'bun:test';
import type { AccessToken } from '../../accounts/account-ports.ts';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

const USE = { counter: 6, isBackedUp: 0, usedAtMs: NOW_MS };

const mail = () => ({
  ...{ id: newId(), to: 'ada@example.org', subject: 'A factor', text: 'text', html: 'html' },
  createdAtMs: NOW_MS,
});

const sessionOf = (userId: string, more: Partial<AccessToken> = {}): AccessToken => ({
  ...{ id: newId(), hash: newId(), kind: 'session', userId, workspaceId: undefined, last4: 'wxyz' },
  ...{ epoch: 0, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 60_000, name: undefined },
  ...{ usedAtMs: NOW_MS, agentSinceMs: undefined, passkeyId: undefined },
  ...more,
});

onBothDatabases(({ shared }) => {
  async function person() {
    const store = await shared();
    const { workspaceId, userId } = await newWorkspace(store);
    const passkey = {
      ...{ id: newId(), userId, credentialId: newId(), publicKey: 'cHVibGlj', counter: 5, isBackedUp: 0 },
      ...{ name: 'Laptop', createdAtMs: NOW_MS, usedAtMs: undefined },
    };
    const present = sessionOf(userId, { expiresAtMs: NOW_MS + 1 });
    await store.credentials.addAccessToken(present, auditEntry(workspaceId));
    const added = { sessionId: present.id, mail: mail() };
    await store.passkeys.add(passkey, added, auditEntry(workspaceId));
    const change = () => ({
      userId,
      workspaceIds: [workspaceId],
      mail: mail(),
      entry: auditEntry(workspaceId),
    });
    const byPasskey = { kind: 'passkey', used: { passkey, use: USE } } as const;
    const byCode = (hash: string) => ({ kind: 'recovery_code', hash }) as const;
    const on = (sessionId = present.id) =>
      store.secondFactors.switchOn(change(), { proof: byPasskey, hashes: ['a', 'b'], sessionId });
    return { ...store, workspaceId, userId, passkey, change, byPasskey, byCode, on };
  }

  test('is on once, with its codes, and ends every session but one', async () => {
    const { on, secondFactors, credentials, userId, workspaceId, accounts } = await person();
    const [kept, other] = [sessionOf(userId), sessionOf(userId)];
    for (const session of [kept, other]) await credentials.addAccessToken(session, auditEntry(workspaceId));
    const pending = sessionOf(userId, { kind: 'pending', fullExpiresAtMs: NOW_MS + 120_000 });
    await credentials.addAccessToken(pending, auditEntry(workspaceId));
    expect(await credentials.hasSecondFactor(userId)).toBe(false);
    expect(await on(other.id.toUpperCase())).toBe('ended');
    expect(await on(kept.id)).toBe('stored');
    expect(await on(kept.id)).toBe('on');
    const alive = await credentials.accessTokensOf(userId, NOW_MS + 1);
    expect(alive.map(({ id }) => id)).toEqual([kept.id]);
    expect(await secondFactors.since(userId)).toBe(NOW_MS);
    expect(await secondFactors.codesLeft(userId)).toBe(2);
    expect(await accounts.member(workspaceId, userId)).toMatchObject({ hasSecondFactor: true });
  });

  test('a session that proved one factor is not stored once the factor is on', async () => {
    const { on, credentials, userId, workspaceId } = await person();
    const add = () =>
      credentials.addAccessToken(sessionOf(userId), auditEntry(workspaceId), [
        credentials.needingOneFactor(userId),
      ]);
    expect(await add()).toBe('stored');
    const [first, second] = await Promise.all([add(), on()]);
    expect(second).toBe('stored');
    // In either order, no session with one factor is left.
    expect(['stored', 'second_factor']).toContain(first);
    expect(await credentials.accessTokensOf(userId, NOW_MS + 1)).toEqual([]);
    expect(await add()).toBe('second_factor');
  });

  test('a code confirms one of many sessions that take it at the same moment', async () => {
    const { on, secondFactors, credentials, userId, workspaceId, byCode } = await person();
    await on();
    const confirm = async () => {
      const pending = sessionOf(userId, { kind: 'pending', fullExpiresAtMs: NOW_MS + 120_000 });
      await credentials.addAccessToken(pending, auditEntry(workspaceId));
      const token = { hash: newId(), last4: 'abcd' };
      const proved = { proof: byCode('a'), mail: mail(), entry: auditEntry(workspaceId) };
      return secondFactors.confirmSession(pending, token, proved);
    };
    const outcomes = await Promise.all([confirm(), confirm(), confirm()]);
    expect(outcomes.toSorted()).toEqual(['stored', 'used', 'used']);
    const alive = await credentials.accessTokensOf(userId, NOW_MS + 90_000);
    expect(alive.map(({ kind, last4 }) => ({ kind, last4 }))).toEqual([{ kind: 'session', last4: 'abcd' }]);
    expect(await secondFactors.codesLeft(userId)).toBe(1);
  });

  test('a code of another person proves nothing', async () => {
    const ada = await person();
    const eve = await person();
    await ada.on();
    const renewed = { proof: ada.byCode('a'), hashes: ['c'] };
    expect(await eve.secondFactors.renewCodes(eve.change(), renewed)).toBe('off');
    expect(await ada.secondFactors.renewCodes(ada.change(), { ...renewed, proof: ada.byCode('x') })).toBe(
      'used',
    );
    expect(await ada.secondFactors.codesLeft(ada.userId)).toBe(2);
    expect(await ada.secondFactors.renewCodes(ada.change(), renewed)).toBe('stored');
    expect(await ada.secondFactors.codesLeft(ada.userId)).toBe(1);
  });

  test('is off once, without its codes', async () => {
    const { on, secondFactors, userId, change, byCode, credentials } = await person();
    expect(await secondFactors.switchOff(change(), byCode('a'))).toBe('off');
    await on();
    expect(await secondFactors.switchOff(change(), byCode('x'))).toBe('used');
    expect(await credentials.hasSecondFactor(userId)).toBe(true);
    expect(await secondFactors.switchOff(change(), byCode('a'))).toBe('stored');
    expect([await credentials.hasSecondFactor(userId), await secondFactors.codesLeft(userId)]).toEqual([
      false,
      0,
    ]);
  });

  test('its last passkey stays, and one that is used by a proof that lost is not', async () => {
    const { on, passkeys, passkey, workspaceId, secondFactors, change, byPasskey } = await person();
    await on();
    expect(await passkeys.remove({ ...passkey }, '', auditEntry(workspaceId))).toBe('last');
    expect(await secondFactors.switchOff(change(), byPasskey)).toBe('changed');
  });
});
