import { expect, test } from 'bun:test';
import { hash } from 'node:crypto';
import { CHAIN_START, type ChainEnd, linkProblem } from '@svc/core/audit/chain';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { ApiKey } from '../../accounts/account-ports.ts';
import type { Store, StoreLocation } from '../../build/create-store.ts';
import { failureOf } from '../../platform/db/fixtures/failure-of.ts';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import { openPostgres } from '../../platform/db/postgres/open-postgres.ts';
import { openSqlite } from '../../platform/db/sqlite/open-sqlite.ts';
import { verifyAudit } from '../verify-audit.ts';
import { AuditWriter } from './audit-writer.ts';

type Owner = { workspaceId: string; userId: string };

const digest = (text: string) => hash('sha256', text);

const apiKey = ({ workspaceId, userId }: Owner): ApiKey => ({
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
});

const made = (key: ApiKey, more: Partial<AuditEntry> = {}) =>
  auditEntry(key.workspaceId, { target: { kind: 'api_key', id: key.id, name: key.name }, ...more });

/** Verifies the chain; throws at the first broken link. */
async function walked({ audit }: Store, workspaceId: string): Promise<ChainEnd> {
  let end = CHAIN_START;
  for (const link of await audit.linksAfter(workspaceId, 0, 10_000)) {
    const problem = linkProblem(end, link, digest);
    if (problem !== undefined) throw new Error(`entry ${link.seq}: ${problem}`);
    end = link;
  }
  return { seq: end.seq, hash: end.hash };
}

async function targets({ audit }: Store, workspaceId: string): Promise<string[]> {
  const records = await audit.recordsAfter(workspaceId, 0, 10_000);
  return records.map(({ entry }) => entry.target.id);
}

/** Closing a log needs no other row of the workspace. */
async function writerOf(location: StoreLocation): Promise<{ auditWriter: AuditWriter } & AsyncDisposable> {
  const database = location.kind === 'sqlite' ? await openSqlite(location) : await openPostgres(location.url);
  return {
    auditWriter: new AuditWriter(database),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

onBothDatabases(({ shared, open, newLocation }) => {
  test('an entry reads back as appended, with its position in the chain', async () => {
    const store = await shared();
    const owner = await newWorkspace(store);
    const key = apiKey(owner);
    const entry = made(key, {
      from: { address: undefined, userAgent: 'line\nbreak, NUL \0 and half a pair \ud800' },
      details: { endpoints: ['a', 'b'], last4: 'wxyz', ключ: null, count: 3 },
    });
    await store.credentials.addApiKey(key, entry);
    const [, record] = await store.audit.recordsAfter(owner.workspaceId, 0, 10);
    expect(record).toMatchObject({ entry, seq: 2 });
    const { seq, hash: last } = await walked(store, owner.workspaceId);
    const head = { workspaceId: owner.workspaceId, seq, hash: last, closedAtMs: undefined };
    expect(await store.audit.head(owner.workspaceId)).toEqual(head);
  });

  test('50 concurrent changes from two hubs are each stored with their entry, and the chain stays valid', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const owner = await newWorkspace(one);
    const keys = Array.from({ length: 50 }, () => apiKey(owner));
    await Promise.all(
      keys.map((key, index) => (index % 2 === 0 ? one : other).credentials.addApiKey(key, made(key))),
    );
    expect(await walked(one, owner.workspaceId)).toMatchObject({ seq: 51 });
    const [, ...audited] = await targets(one, owner.workspaceId);
    expect(audited.toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
    const stored = await other.credentials.apiKeysOf(owner.workspaceId);
    expect(stored.map(({ id }) => id).toSorted()).toEqual(audited.toSorted());
  }, 30_000);

  test('a refused or failed change leaves no entry, and concurrent changes are not lost', async () => {
    const store = await shared();
    const [owner, stranger] = [await newWorkspace(store), await newWorkspace(store)];
    const keys = Array.from({ length: 6 }, () => apiKey(owner));
    const entry = auditEntry(owner.workspaceId);
    const [taken = apiKey(owner)] = keys;
    await store.credentials.addApiKey(taken, made(taken));
    const second = { ...apiKey(stranger), hash: taken.hash };
    const outcomes = await Promise.all([
      ...keys.slice(1).map((key) => store.credentials.addApiKey(key, made(key))),
      store.credentials.revokeApiKey(owner.workspaceId, newId(), entry),
      failureOf(store.credentials.addApiKey(second, made(second))),
      store.usernames.choose(owner.workspaceId, 'audited', entry),
      store.usernames.choose(owner.workspaceId, 'again', entry),
    ]);
    expect(outcomes[5]).toBe(false);
    expect(String(outcomes[6])).toMatch(/unique/i);
    expect(outcomes.slice(7)).toEqual(['stored', 'chosen_already']);
    expect(await walked(store, owner.workspaceId)).toMatchObject({ seq: 1 + keys.length + 1 });
    expect(await walked(store, stranger.workspaceId)).toMatchObject({ seq: 1 });
  });

  test('a page is filtered, newest first, and continues after the previous page', async () => {
    const store = await shared();
    const owner = await newWorkspace(store);
    const { workspaceId } = owner;
    const actor = { kind: 'member', id: 'u2', name: 'lin@example.org' } as const;
    for (let n = 0; n < 6; n += 1) {
      const key = apiKey(owner);
      const by = n % 2 === 0 ? {} : { actor };
      await store.credentials.addApiKey(key, made(key, { atMs: NOW_MS + 10 * n, ...by }));
    }
    const seqs = async (more: object) =>
      (await store.audit.page({ workspaceId, limit: 100, ...more })).items.map(({ seq }) => seq);
    expect(await seqs({})).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(await seqs({ actorId: 'u2' })).toEqual([7, 5, 3]);
    expect(await seqs({ fromMs: NOW_MS + 10, untilMs: NOW_MS + 30 })).toEqual([4, 3]);
    expect(await seqs({ action: 'secret.set' })).toEqual([]);
    expect(await seqs({ action: 'api_key.made', actorId: 'u2', fromMs: NOW_MS + 30 })).toEqual([7, 5]);
    const first = await store.audit.page({ workspaceId, limit: 4 });
    const next = await store.audit.page({ workspaceId, limit: 4, cursor: first.nextCursor ?? '' });
    expect([first, next].map(({ items }) => items.map(({ seq }) => seq))).toEqual([
      [7, 6, 5, 4],
      [3, 2, 1],
    ]);
    expect(next.nextCursor).toBeUndefined();
  });

  test('a closed log keeps its last entry and the hash before it, and accepts none', async () => {
    const location = await newLocation();
    await using store = await open(location);
    await using opened = await writerOf(location);
    const { auditWriter } = opened;
    const entry = auditEntry('gone');
    for (let n = 0; n < 3; n += 1) await auditWriter.commit([], entry);
    await auditWriter.commit([], auditEntry('other'));
    const before = await store.audit.head('gone');
    const deleted = auditEntry('gone', { action: 'workspace.deleted', atMs: NOW_MS + 5 });
    expect(await auditWriter.close([], deleted)).toBe('stored');
    const left = await store.audit.recordsAfter('gone', 0, 10);
    expect(left).toMatchObject([{ entry: deleted, seq: 4, previousHash: before?.hash }]);
    expect(await store.audit.head('gone')).toMatchObject({
      seq: 4,
      hash: left[0]?.hash,
      closedAtMs: NOW_MS + 5,
    });
    expect((await failureOf(auditWriter.commit([], entry))).message).toContain('deleted');
    expect(await walked(store, 'other')).toMatchObject({ seq: 1 });
    const verified = [];
    for await (const log of verifyAudit(store.audit)) verified.push(log);
    expect(verified).toMatchObject([
      { workspaceId: 'gone', entries: 4, isClosed: true, broken: undefined },
      { workspaceId: 'other', entries: 1, isClosed: false, broken: undefined },
    ]);
  });
});
