import { expect, test } from 'bun:test';
import { MAX_PASSKEYS } from '@svc/core/passkey/relying-party';
import type { AccessToken } from '../../accounts/account-ports.ts';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { Passkey } from '../passkey-ports.ts';

const passkeyOf = (userId: string, more: Partial<Passkey> = {}): Passkey => ({
  id: newId(),
  userId,
  credentialId: newId(),
  publicKey: 'cHVibGlj',
  counter: 5,
  isBackedUp: 0,
  name: 'Laptop',
  createdAtMs: NOW_MS,
  usedAtMs: undefined,
  ...more,
});

const mail = () => ({
  ...{ id: newId(), to: 'ada@example.org', subject: 'A passkey', text: 'text', html: 'html' },
  createdAtMs: NOW_MS,
});

const sessionOf = (userId: string, passkeyId: string): AccessToken => ({
  ...{ id: newId(), hash: newId(), kind: 'session', userId, workspaceId: undefined, last4: 'wxyz' },
  ...{ epoch: 1, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 60_000, name: undefined },
  ...{ usedAtMs: NOW_MS, agentSinceMs: undefined, passkeyId },
});

onBothDatabases(({ shared }) => {
  async function withPasskey() {
    const store = await shared();
    const { workspaceId, userId } = await newWorkspace(store);
    const passkey = passkeyOf(userId);
    const add = (added: Passkey) =>
      store.passkeys.add(added, { sessionId: adding.id, mail: mail() }, auditEntry(workspaceId));
    // It lasts as long as the passkey is added.
    const adding = { ...sessionOf(userId, ''), passkeyId: undefined, expiresAtMs: NOW_MS + 1 };
    expect(await add(passkey)).toBe('ended');
    await store.credentials.addAccessToken(adding, auditEntry(workspaceId));
    expect(await add(passkey)).toBe('stored');
    const signIn = (counter: number) => {
      const session = sessionOf(userId, passkey.id);
      const used = { counter, isBackedUp: 1, usedAtMs: NOW_MS + 1 };
      const statements = [store.passkeys.using(passkey, used)];
      return store.credentials
        .addAccessToken(session, auditEntry(workspaceId), statements)
        .then((outcome) => ({ outcome, session }));
    };
    const sessions = async () =>
      (await store.credentials.accessTokensOf(userId, NOW_MS + 1)).map(({ id }) => id);
    return { ...store, workspaceId, userId, passkey, add, signIn, sessions };
  }

  test('a passkey is found as stored, and belongs to one user', async () => {
    const { passkeys, passkey, userId, add, ...store } = await withPasskey();
    expect(await passkeys.byCredential(passkey.credentialId)).toEqual(passkey);
    expect(await passkeys.ofUser(userId)).toEqual([passkey]);
    const eve = await newWorkspace(await shared());
    const { credentialId } = passkey;
    const stolen = passkeyOf(eve.userId, { credentialId });
    expect(await add(stolen)).toBe('taken');
    const foreign = { ...passkey, userId: eve.userId };
    expect(await passkeys.rename(foreign, 'Mine', auditEntry(eve.workspaceId))).toBe(false);
    expect(await passkeys.remove(foreign, '', auditEntry(eve.workspaceId))).toBe('none');
    expect(await passkeys.rename(passkey, 'Desk', auditEntry(store.workspaceId))).toBe(true);
    expect(await passkeys.ofUser(userId)).toEqual([{ ...passkey, name: 'Desk' }]);
  });

  test('a counter is used once by concurrent sign-ins', async () => {
    const { passkeys, passkey, signIn, sessions, userId } = await withPasskey();
    const made = await Promise.all([signIn(6), signIn(6), signIn(6)]);
    const stored = made.filter(({ outcome }) => outcome === 'stored');
    expect(made.map(({ outcome }) => outcome).toSorted()).toEqual(['changed', 'changed', 'stored']);
    expect(await sessions()).toEqual(stored.map(({ session }) => session.id));
    const used = { counter: 6, isBackedUp: 1, usedAtMs: NOW_MS + 1 };
    expect(await passkeys.ofUser(userId)).toEqual([{ ...passkey, ...used }]);
  });

  test('no session outlives a removed passkey, except the one that removed it', async () => {
    const { passkeys, passkey, signIn, sessions, workspaceId } = await withPasskey();
    const first = await signIn(6);
    const kept = sessionOf(passkey.userId, passkey.id);
    const { credentials } = await shared();
    await credentials.addAccessToken(kept, auditEntry(workspaceId));
    expect(await sessions()).toContain(first.session.id);
    expect(await passkeys.remove(passkey, kept.id, { ...auditEntry(workspaceId), atMs: NOW_MS })).toBe(
      'stored',
    );
    expect((await signIn(7)).outcome).toBe('changed');
    expect(await sessions()).toEqual([kept.id]);
  });

  test('concurrent additions keep to the limit', async () => {
    const { passkeys, userId, add } = await withPasskey();
    const outcomes = await Promise.all(
      Array.from({ length: MAX_PASSKEYS + 1 }, () => add(passkeyOf(userId))),
    );
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(2);
    expect(await passkeys.ofUser(userId)).toHaveLength(MAX_PASSKEYS);
  });
});
