// The audit log: decision 48, the audit log.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { openAdmin } from '@svc/hub/admin/admin';
import { readHubConfig } from '@svc/hub/config';
import { postForm } from '../forms.ts';
import { openHubFile } from '../hub-file.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { sessionIn } from '../people.ts';
import { runSvc } from '../program.ts';

let world: HubWorld;
beforeEach(async () => {
  world = await hubWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

interface Line {
  readonly seq: number;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string };
  readonly from: { readonly address: string | null; readonly user_agent: string | null };
  readonly target: { readonly kind: string; readonly name: string };
  readonly details: Record<string, unknown>;
  readonly previous_hash: string;
  readonly hash: string;
}

const JSON_TYPE = { 'content-type': 'application/json', 'user-agent': 'test/1' };
const send = (method: string, path: string, body?: object) =>
  world.manage(path, { method, headers: JSON_TYPE, ...(body && { body: JSON.stringify(body) }) });
const made = async (path: string, body: object) =>
  (await (await send('POST', path, body)).json()) as { id: string };
const page = async (query = '') =>
  (await (await world.manage(`/audit?limit=100${query}`)).json()) as {
    items: Line[];
    next_cursor: string | null;
  };
const exported = async () =>
  (await (await world.manage('/audit/export')).text())
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

/** RFC 8785, implemented again and apart from the hub: as the reader of an export would check it. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`).join(',')}}`;
}

test('has what was done, by whom, from where, in words, the newest first', async () => {
  const key = await made('/api-keys', { name: 'nightly', endpoints: ['deploy'] });
  await send('DELETE', `/api-keys/${key.id}`);
  const token = await made('/agent-tokens', { name: 'server', agent_name: 'backup' });
  await send('DELETE', `/agent-tokens/${token.id}`);
  const { items } = await page();
  expect(items.slice(0, 4)).toMatchObject([
    { action: 'agent_token.revoked', target: { kind: 'agent_token', name: 'server' } },
    { action: 'agent_token.made', details: { agent_name: 'backup' } },
    { action: 'api_key.revoked', words: 'revoked an API key' },
    {
      action: 'api_key.made',
      actor: { kind: 'member', name: 'operator@localhost' },
      from: { address: '127.0.0.1', user_agent: 'test/1' },
      target: { kind: 'api_key', name: 'nightly' },
      details: { endpoints: ['deploy'], expires_at: null },
    },
  ]);
  expect(items.at(-1)).toMatchObject({
    seq: 1,
    action: 'workspace.created',
    from: { address: null, user_agent: null },
  });
  expect(items.find(({ action }) => action === 'workspace.username_chosen')).toMatchObject({
    actor: { kind: 'operator', id: null, name: 'svc up' },
  });
});

test('has sign-in, sign-out, tokens and the plan that an operator gives', async () => {
  await fetch(`${world.hub.hubUrl}/auth/magic-link`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ email: 'operator@localhost' }),
  });
  const { items: mails } = (await (await world.manage('/outbox')).json()) as { items: { text: string }[] };
  const link = /http\S+/.exec(mails[0]?.text ?? '')?.[0] ?? '';
  const cookie = sessionIn(await postForm(link));
  const session = { cookie, origin: world.hub.hubUrl };
  await fetch(`${world.hub.hubUrl}/tokens`, { method: 'POST', headers: session });
  await fetch(`${world.hub.hubUrl}/auth/logout`, { method: 'POST', headers: session });
  await using admin = await openAdmin(readHubConfig({ SVC_DATA_DIR: world.dataDir }));
  await admin.setPlan('local', 'team');
  const { items } = await page();
  expect(items.slice(0, 4).map(({ action }) => action)).toEqual([
    'workspace.plan_changed',
    'account.signed_out',
    'access_token.made',
    'account.signed_in',
  ]);
  expect(items[0]).toMatchObject({
    actor: { kind: 'operator', name: 'svc admin' },
    details: { from: 'unlimited', to: 'team' },
  });
});

test('has what an agent registers of its file, when that is something else than before', async () => {
  const before = await page();
  const agent = (names: readonly string[], command = 'true') =>
    world.agent({ endpoints: names.map((name) => ({ name, command })) });
  for (const names of [
    ['a', 'b'],
    ['a', 'b'],
    ['b', 'c'],
  ])
    await (await agent(names)).vanish();
  await (await agent(['b', 'c'], 'false')).vanish();
  const { items } = await page();
  // With the first hello, which binds the token.
  expect(items.length - before.items.length).toBe(4);
  expect(items.slice(0, 3).map(({ details }) => details)).toEqual([
    { added: [], changed: ['b', 'c'], removed: [] },
    { added: ['c'], changed: [], removed: ['a'] },
    { added: ['a', 'b'], changed: [], removed: [] },
  ]);
  expect(items[0]).toMatchObject({ action: 'agent.registered', actor: { kind: 'agent', name: 'default' } });
});

test('a page is filtered by the beginning of a name, in any case, which no other part of an entry is taken for', async () => {
  for (const name of ['Nightly "build"', 'nightly export', 'the nightly one', '"name":"fake', 'Österreich'])
    await made('/api-keys', { name });
  const names = async (name: string) =>
    (await page(`&name=${encodeURIComponent(name)}&action=api_key.made`)).items.map(
      ({ target }) => target.name,
    );
  expect(await names('NIGHT')).toEqual(['nightly export', 'Nightly "build"']);
  expect(await names('nightly "b')).toEqual(['Nightly "build"']);
  // Letters other than ASCII are found as they were written.
  expect(await names('Öst')).toEqual(['Österreich']);
  expect(await names('fake')).toEqual([]);
  expect(await names('api_key')).toEqual([]);
  expect((await names('operator@')).length).toBeGreaterThan(3);
  expect((await world.manage('/audit?name=')).status).toBe(400);
});

test('a page is filtered by action, actor and time, and continues at its cursor', async () => {
  const before = await exported();
  const since = new Date(world.clock.nowMs() + 1_000).toISOString();
  world.clock.move(2_000);
  for (const name of ['a', 'b', 'c']) await made('/api-keys', { name });
  const names = (items: readonly Line[]) => items.map(({ target }) => target.name);
  expect(names((await page(`&from=${since}`)).items)).toEqual(['c', 'b', 'a']);
  expect((await page(`&until=${since}`)).items).toHaveLength(before.length);
  const actor = (await page()).items[0]?.actor.id ?? '';
  expect(names((await page(`&actor=${actor}&action=api_key.made`)).items)).toEqual(['c', 'b', 'a']);
  expect((await page('&action=secret.deleted')).items).toEqual([]);
  const first = (await (await world.manage('/audit?limit=2')).json()) as Awaited<ReturnType<typeof page>>;
  expect(names(first.items)).toEqual(['c', 'b']);
  expect(names((await page(`&cursor=${first.next_cursor}`)).items)[0]).toBe('a');
  expect((await world.manage('/audit?action=api_key.eaten')).status).toBe(400);
});

test('an export can be verified by its reader: each line is hashed with the hash of the one before', async () => {
  await made('/api-keys', { name: 'żółw "quoted" \u{1F422}' });
  const lines = await exported();
  expect(lines.length).toBeGreaterThan(5);
  let previous = '0'.repeat(64);
  for (const { hash, ...line } of lines) {
    expect(line.previous_hash).toBe(previous);
    expect(createHash('sha256').update(canonical(line)).digest('hex')).toBe(hash);
    previous = hash;
  }
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
});

describe('svc admin verify-audit', () => {
  const env = () => ({ SVC_DATA_DIR: world.dataDir });
  const verified = (...args: string[]) =>
    runSvc(['admin', 'verify-audit', ...args], { cwd: world.dataDir, env: env() });
  const run = (sql: string) => {
    using database = openHubFile(world.dataDir);
    database.run(sql);
  };
  const swap = (a: number, b: number) =>
    [
      [a, 99],
      [b, a],
      [99, b],
    ]
      .map(([from, to]) => `update audit_entries set seq = ${to} where seq = ${from}`)
      .join(';');

  test('says of logs that are as they were written that they are', async () => {
    const { exitCode, stdout } = await verified('--workspace', 'local');
    expect([exitCode, stdout.includes('intact')]).toEqual([0, true]);
    expect((await verified('--workspace', 'nobody')).exitCode).toBe(2);
  });

  test.each([
    [
      'an entry that was changed',
      `update audit_entries set text = replace(text, 'svc up', 'svc down') where seq = 3`,
      3,
    ],
    ['one that was changed and hashed anew', '', 4],
    ['one that was taken out', 'delete from audit_entries where seq = 2', 3],
    ['the last ones cut off', 'delete from audit_entries where seq >= 6', 6],
    ['two that changed places', swap(4, 5), 4],
    [
      'one that can be found no more under its actor',
      `update audit_entries set actor_id = 'me' where seq = 2`,
      2,
    ],
    [
      'an end that was moved back',
      `update audit_heads set seq = 4; delete from audit_entries where seq > 4`,
      4,
    ],
  ])('names the first broken place: %s', async (what, sql, seq) => {
    for (const name of ['a', 'b']) await made('/api-keys', { name });
    if (what.endsWith('anew')) {
      const { hash: _, ...line } = (await exported())[2] as Line;
      const text = canonical({ ...line, target: { ...line.target, name: 'changed' } });
      using database = openHubFile(world.dataDir);
      const hash = createHash('sha256').update(text).digest('hex');
      database.run('update audit_entries set text = ?, hash = ? where seq = 3', [text, hash]);
    } else for (const one of sql.split(';')) run(one);
    const { exitCode, stdout } = await verified('--json');
    expect(exitCode).toBe(1);
    const { broken } = JSON.parse(stdout) as { broken: { seq: number; problem: string } };
    expect(broken.seq).toBe(seq);
  });
});
