import { expect, test } from 'bun:test';
import { failureOf } from '../../platform/db/fixtures/failure-of.ts';
import { auditEntry, HOUR_MS, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { AccessToken, AgentToken, UsedApiKey } from '../account-ports.ts';

type Owner = { workspaceId: string; userId: string };

const apiKey = ({ workspaceId, userId }: Owner, more: Partial<UsedApiKey> = {}): UsedApiKey => ({
  id: newId(),
  workspaceId,
  createdBy: userId,
  name: 'laptop',
  hash: newId(),
  last4: 'wxyz',
  endpoints: undefined,
  createdAtMs: NOW_MS,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
  previousLast4: undefined,
  previousUntilMs: undefined,
  usedAtMs: undefined,
  agentSinceMs: undefined,
  ...more,
});

const agentToken = ({ workspaceId, userId }: Owner, more: Partial<AgentToken> = {}): AgentToken => ({
  id: newId(),
  workspaceId,
  createdBy: userId,
  name: 'server',
  hash: newId(),
  last4: 'wxyz',
  agentNames: [],
  boundAtMs: undefined,
  firstInstance: undefined,
  isPool: false,
  createdAtMs: NOW_MS,
  revokedAtMs: undefined,
  ...more,
});

const accessToken = ({ userId }: Owner, more: Partial<AccessToken> = {}): AccessToken => ({
  id: newId(),
  kind: 'session',
  userId,
  workspaceId: undefined,
  hash: newId(),
  last4: 'wxyz',
  createdAtMs: NOW_MS,
  expiresAtMs: NOW_MS + HOUR_MS,
  epoch: 3,
  name: 'Firefox',
  usedAtMs: NOW_MS,
  agentSinceMs: undefined,
  passkeyId: undefined,
  ...more,
});

onBothDatabases(({ shared }) => {
  test('keys and tokens read back by their hash as stored', async () => {
    const store = await shared();
    const { credentials } = store;
    const owner = await newWorkspace(store);
    const keys = [
      apiKey(owner),
      apiKey(owner, { endpoints: ['deploy', 'logs'], expiresAtMs: NOW_MS + 1, revokedAtMs: NOW_MS + 2 }),
      apiKey(owner, { endpoints: [] }),
    ];
    for (const key of keys) await credentials.addApiKey(key, auditEntry(key.workspaceId));
    for (const key of keys) expect(await credentials.apiKeyByHash(key.hash)).toEqual(key);
    expect(await credentials.apiKeysOf(owner.workspaceId)).toEqual(keys);

    const tokens = [
      agentToken(owner),
      agentToken(owner, { agentNames: ['backup'], firstInstance: 'i1' }),
      agentToken(owner, { agentNames: ['a', 'b'], isPool: true }),
    ];
    for (const token of tokens) await credentials.addAgentToken(token, auditEntry(token.workspaceId));
    for (const token of tokens) expect(await credentials.agentTokenByHash(token.hash)).toEqual(token);
    expect(await credentials.agentTokensOf(owner.workspaceId)).toEqual(tokens);

    const { workspaceId } = owner;
    const session = accessToken(owner);
    const personal = accessToken(owner, { kind: 'personal', workspaceId });
    for (const token of [session, personal]) {
      await credentials.addAccessToken(token, auditEntry(workspaceId));
      expect(await credentials.accessTokenByHash(token.hash)).toEqual(token);
    }
  });

  test('an unknown hash finds nothing', async () => {
    const { credentials } = await shared();
    expect(await credentials.apiKeyByHash('none')).toBeUndefined();
    expect(await credentials.agentTokenByHash('none')).toBeUndefined();
    expect(await credentials.accessTokenByHash('none')).toBeUndefined();
  });

  test('only its own workspace revokes a credential, and the time of the first revocation stays', async () => {
    const store = await shared();
    const [owner, stranger] = [await newWorkspace(store), await newWorkspace(store)];
    const [key, token] = [apiKey(owner), agentToken(owner)];
    await store.credentials.addApiKey(key, auditEntry(key.workspaceId));
    await store.credentials.addAgentToken(token, auditEntry(token.workspaceId));

    expect(
      await store.credentials.revokeApiKey(stranger.workspaceId, key.id, auditEntry(stranger.workspaceId)),
    ).toBe(false);
    expect(
      await store.credentials.revokeAgentToken(
        stranger.workspaceId,
        token.id,
        auditEntry(stranger.workspaceId),
      ),
    ).toBe(false);
    expect(await store.credentials.apiKeyByHash(key.hash)).toEqual(key);
    expect(await store.credentials.apiKeysOf(stranger.workspaceId)).toEqual([]);
    expect(await store.credentials.agentTokensOf(stranger.workspaceId)).toEqual([]);

    for (const atMs of [NOW_MS + 1, NOW_MS + 2]) {
      const entry = auditEntry(owner.workspaceId, { atMs });
      expect(await store.credentials.revokeApiKey(owner.workspaceId, key.id, entry)).toBe(true);
      expect(await store.credentials.revokeAgentToken(owner.workspaceId, token.id, entry)).toBe(true);
    }
    expect(await store.credentials.apiKeyByHash(key.hash)).toMatchObject({ revokedAtMs: NOW_MS + 1 });
    expect(await store.credentials.agentTokenByHash(token.hash)).toMatchObject({ revokedAtMs: NOW_MS + 1 });
  });

  test('ending an access token makes it expired; an expired one keeps its time', async () => {
    const store = await shared();
    const owner = await newWorkspace(store);
    const { workspaceId } = owner;
    const token = accessToken(owner);
    await store.credentials.addAccessToken(token, auditEntry(workspaceId));
    await store.credentials.endAccessToken(token.id, auditEntry(workspaceId, { atMs: NOW_MS + 5 }));
    await store.credentials.endAccessToken(token.id, auditEntry(workspaceId, { atMs: NOW_MS + 9 }));
    expect(await store.credentials.accessTokenByHash(token.hash)).toEqual({
      ...token,
      expiresAtMs: NOW_MS + 5,
    });
  });

  test('a duplicate hash is a bug, not a second key', async () => {
    const store = await shared();
    const owner = await newWorkspace(store);
    const key = apiKey(owner);
    await store.credentials.addApiKey(key, auditEntry(key.workspaceId));
    expect(
      (await failureOf(store.credentials.addApiKey({ ...key, id: newId() }, auditEntry(key.workspaceId))))
        .message,
    ).toMatch(/unique|UNIQUE/);
    expect(await store.credentials.apiKeysOf(owner.workspaceId)).toEqual([key]);
  });

  test('a key of a workspace that does not exist is a bug', async () => {
    const { credentials } = await shared();
    const key = apiKey({ workspaceId: newId(), userId: newId() });
    expect((await failureOf(credentials.addApiKey(key, auditEntry(key.workspaceId)))).message).toMatch(
      /foreign key|FOREIGN KEY/,
    );
    expect(await credentials.apiKeyByHash(key.hash)).toBeUndefined();
  });
});
