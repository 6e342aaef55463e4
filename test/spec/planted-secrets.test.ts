// Planted secrets of every kind are found in no file, log, error, audit entry or answer (decisions 1, 9, 13, 34 and 48).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { spellings } from '@svc/core/execution/mask/spellings';
import { formToken } from '@svc/core/token/token';
import { openAdmin } from '@svc/hub/admin/admin';
import { readHubConfig } from '@svc/hub/config';
import { configText } from '../config-text.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

/** Quotes, a space and letters beyond ASCII: each spelling of it is another. */
const plant = (name: string) => `${name}: "żółw" & ${crypto.randomUUID()}`;

const ENDPOINTS = [
  { name: 'argv', command: 'echo $svc:ARGV' },
  { name: 'shell', command: 'echo "$svc:SHELL"; printf %s "$svc:SHELL" | base64 -w 0' },
  { name: 'fails', command: 'ls "/nowhere/$svc:ARGV" 2>&1; exit 3' },
  {
    name: 'pinned',
    command: 'echo "$SVC_ARG_PIN"; echo over',
    args: [
      { name: 'pin', secret: true },
      { name: 'plain', default: 'a value that is no secret' },
    ],
  },
  { name: 'strict', command: 'true', args: [{ name: 'pin', secret: true, pattern: '[0-9]+' }] },
  { name: 'elsewhere', command: 'true', agent_name: 'away', args: [{ name: 'pin', secret: true }] },
  { name: 'guarded', command: 'true', approval_required: true },
  { name: 'open', command: 'echo hello', public: true },
];

const secrets = new Map<string, string>();
/** The places that are searched: a name and its content. */
const evidence = new Map<string, Uint8Array>();
/** Bodies of answers, but for those that give a secret to whom it belongs. */
const answers: string[] = [];

let world: HubWorld;
let folder: TemporaryFolder;
let agent: ReturnType<typeof startSvc>;

const JSON_TYPE = { 'content-type': 'application/json' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function keep(name: string, value: string): string {
  secrets.set(name, value);
  return value;
}

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Its answer is the one that shows the secret. */
  readonly gives?: true;
}

/** Answers that show a secret once. */
interface Given {
  readonly id: string;
  readonly token: string;
  readonly access_token: string;
  readonly device_code: string;
  readonly user_code: string;
  readonly status_url: string;
  readonly approve_url: string;
  readonly secret: string;
}

/** A request with the owner's token unless another is given; what comes back is evidence. */
async function ask(path: string, { method = 'GET', body, headers = {}, gives }: Asked = {}) {
  const response = await fetch(path.startsWith('http') ? path : `${world.hub.hubUrl}${path}`, {
    method,
    headers: { ...bearer(world.start.accessToken), ...(body === undefined ? {} : JSON_TYPE), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  if (gives === undefined)
    answers.push(`${method} ${path.replace(/^http:..[^/]*/, '').slice(0, 12)} ${text}`);
  if (gives && response.status >= 400) throw new Error(`${path}: ${response.status} ${text}`);
  return { response, text, json: () => JSON.parse(text) as Given };
}

const post = (path: string, body: unknown, more: Asked = {}) => ask(path, { method: 'POST', body, ...more });

async function mailedLink(): Promise<string> {
  const { text } = await ask('/outbox', { gives: true });
  const { items } = JSON.parse(text) as { items: { text: string }[] };
  return /http\S+/.exec(items[0]?.text ?? '')?.[0] ?? '';
}

/** The token at the end of the link in the mail that this request sends. */
async function mailed(name: string, path: string, body: object): Promise<string> {
  await post(path, body);
  const link = await mailedLink();
  keep(name, link.slice(link.lastIndexOf('/') + 1));
  return link;
}

async function plantTokens(): Promise<void> {
  for (const [name, path] of [
    ['an API key', '/api-keys'],
    ['a revoked API key', '/api-keys'],
    ['an agent token', '/agent-tokens'],
    ['a revoked agent token', '/agent-tokens'],
  ] as const) {
    const made = (await post(path, { name }, { gives: true })).json();
    keep(name, made.token);
    if (name.includes('revoked')) await ask(`${path}/${made.id}`, { method: 'DELETE' });
  }
  const device = (await post('/auth/device', { client_name: 'a program' }, { gives: true })).json();
  keep('a device code', device.device_code);
  keep('a user code', device.user_code);
  await post('/auth/device/token', { device_code: device.device_code });
}

async function plantLinks(): Promise<void> {
  const waiting = await mailed('a sign-in link that waits', '/auth/magic-link', { email: 'eve@example.com' });
  await ask(waiting);
  const used = await mailed('a sign-in link that was used', '/auth/magic-link', { email: 'ada@example.com' });
  const signedIn = await ask(used, { method: 'POST', headers: { origin: world.hub.hubUrl }, gives: true });
  const cookie = signedIn.response.headers.get('set-cookie')?.split(';')[0] ?? '';
  keep('a session', cookie.slice(cookie.indexOf('=') + 1));
  const session = { headers: { authorization: '', cookie, origin: world.hub.hubUrl } };
  await ask('/workspace', session);
  const personal = (await post('/tokens', { name: 'laptop' }, { ...session, gives: true })).json();
  keep('an access token', personal.access_token);
  const again = await mailed('a sign-in link for a program', '/auth/magic-link', {
    email: 'ada@example.com',
  });
  const token = again.slice(again.lastIndexOf('/') + 1);
  const access = (await post('/auth/token', { token }, { gives: true })).json();
  keep('an access token from a link', access.access_token);
  await mailed('an invitation', '/team/invite', { email: 'lin@example.com', role: 'member' });
}

async function plantSecrets(): Promise<void> {
  const put = (name: string, value: string) => ask(`/secrets/${name}`, { method: 'PUT', body: { value } });
  await put('ARGV', keep('a managed secret', plant('argv')));
  await put('SHELL', keep('a managed secret of a shell', plant('shell')));
  await put('UNUSED', keep('a managed secret that nothing uses', plant('unused')));
  await put('CHANGED', keep('a managed secret before it was changed', plant('changed')));
  await put('CHANGED', keep('the same after it', plant('changed again')));
  await put('GONE', keep('a managed secret that was deleted', plant('gone')));
  await ask('/secrets/GONE', { method: 'DELETE' });
}

/** An address that knows where to go is as good as a password: that of an alert too. */
async function plantAlerts(): Promise<void> {
  const target = `https://hooks.example.com/${keep('the address of an alert', crypto.randomUUID())}`;
  const rule = { name: 'guarded', channel: 'webhook', target, events: ['approval.pending'] };
  const made = (await post('/alerts', rule, { gives: true })).json();
  keep('the secret of an alert', made.secret);
  keep('the next one', (await post(`/alerts/${made.id}/secret`, {}, { gives: true })).json().secret);
  keep(
    'the secret of callbacks',
    (await post('/alerts/callbacks/secret', {}, { gives: true })).json().secret,
  );
  await ask('/alerts');
  await ask(`/alerts/${made.id}`);
}

async function callAll(): Promise<void> {
  const call = (slug: string, body: object = {}, headers: Record<string, string> = {}) =>
    post(`${world.urlOf(slug)}`, body, {
      headers: { authorization: '', 'x-api-key': world.start.apiKey, accept: 'application/json', ...headers },
    });
  for (const slug of ['argv', 'shell', 'fails']) await call(slug);
  for (const slug of ['argv', 'shell']) await call(slug, {}, { accept: 'text/event-stream' });
  await call('pinned', { pin: keep('a secret argument', plant('pin')) });
  await call('strict', { pin: keep('a secret argument that does not fit', plant('strict')) });
  await call('elsewhere', { pin: keep('a secret argument of what could not run', plant('elsewhere')) });
  const pending = await post(
    world.urlOf('guarded'),
    {},
    { headers: { authorization: '', 'x-api-key': world.start.apiKey }, gives: true },
  );
  const link = pending.json().approve_url;
  keep('an approval', link.slice(link.lastIndexOf('/') + 1));
  // Its page has a form that leads to itself.
  await ask(link, { gives: true });
  const open = await post(
    world.urlOf('open'),
    {},
    {
      headers: { authorization: '', prefer: 'respond-async' },
      gives: true,
    },
  );
  const [, token = ''] = /token=([0-9a-f]{64})/.exec(open.text) ?? [];
  await ask(`${open.json().status_url}`, { headers: { authorization: '' }, gives: true });
  keep('a read token', token);
}

/** Messages about a mistake name the mistake, and not the value. */
async function sendMistakes(): Promise<void> {
  const key = keep('a key that nobody has', formToken('api_key', crypto.getRandomValues(new Uint8Array(32))));
  await post(world.urlOf('open'), {}, { headers: { authorization: '', 'x-api-key': key } });
  await ask('/executions', { headers: bearer(key) });
  const value = keep('a secret that was sent wrongly', plant('wrong'));
  const bodies = [
    { value: { value } },
    { value: [value] },
    { value, agents: value },
    { value, agents: [value] },
  ];
  for (const body of bodies) await ask('/secrets/WRONG', { method: 'PUT', body });
  for (const text of [`{"value": "${value}`, `{"value": ${JSON.stringify(value)},}`, JSON.stringify(value)])
    await ask('/secrets/WRONG', { method: 'PUT', body: text });
  await post('/auth/token', { token: { token: value } });
  await post('/auth/token', { token: value });
}

async function readAll(): Promise<void> {
  const lists = ['/secrets', '/api-keys', '/agent-tokens', '/agents', '/endpoints', '/executions', '/audit'];
  const single = [
    '/audit/export',
    '/workspace',
    '/team/members',
    '/team/invites',
    '/auth/sessions',
    '/tokens',
  ];
  for (const path of lists) await ask(`${path}?limit=100`);
  for (const path of [...single, '/openapi.json', '/metrics', '/health']) await ask(path);
  const { items } = (await ask('/executions?limit=100')).json() as unknown as {
    items: { execution_id: string; status: string }[];
  };
  for (const { execution_id: id, status } of items) {
    // A pending call has a stream that waits, too.
    const ended = status === 'pending_approval' ? [] : ['/stream', '/output'];
    for (const part of ['', '/definition', ...ended]) await ask(`/executions/${id}${part}`);
  }
}

/**
 * The tokens of `svc up` and the master key are in files of their own, for their owner alone (decision 53, the program, and
 * decision 54, configuration of a hub).
 */
const OWN_FILES = ['up.json', 'master.key'];

function takeFiles(when: string, where: string): void {
  for (const name of readdirSync(where, { recursive: true }) as string[]) {
    const path = join(where, name);
    if (OWN_FILES.includes(name) || !statSync(path).isFile()) continue;
    evidence.set(`${when}: ${name}`, readFileSync(path));
  }
}

beforeAll(async () => {
  folder = await temporaryFolder();
  world = await hubWorld({ env: { SVC_LOG_LEVEL: 'debug', SVC_RATE_LIMITS: 'off' } });
  await plantTokens();
  await Bun.write(join(folder.path, 'svc.yaml'), configText(ENDPOINTS));
  agent = startSvc(['agent', '--json', '--state-dir', join(folder.path, 'state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: secrets.get('an agent token') ?? '', SVC_BASE_URL: world.hub.localUrl },
  });
  const [stdout, stderr] = [new Lines(agent.stdout), new Lines(agent.stderr)];
  await stdout.find(/"event":"connected"/);
  await plantSecrets();
  await plantLinks();
  await plantAlerts();
  await callAll();
  await sendMistakes();
  await readAll();
  takeFiles('while it runs', world.dataDir);
  takeFiles('the agent', join(folder.path, 'state'));
  await using admin = await openAdmin(readHubConfig({ SVC_DATA_DIR: world.dataDir }));
  await admin.backup(join(folder.path, 'backup.db'));
  evidence.set('the backup', readFileSync(join(folder.path, 'backup.db')));
  agent.kill('SIGTERM');
  await agent.exited;
  await world.hub.stop({ graceMs: 0 });
  takeFiles('when it has stopped', world.dataDir);
  takeFiles('the agent that has stopped', join(folder.path, 'state'));
  evidence.set('the log of the hub', Buffer.from(world.logLines.join('')));
  evidence.set('the log of the agent', Buffer.from(stdout.text + stderr.text));
  answers.forEach((answer, index) => {
    evidence.set(`answer ${index}, ${answer.slice(0, 30)}`, Buffer.from(answer));
  });
}, 120_000);
afterAll(async () => {
  agent.kill('SIGKILL');
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test('there are secrets of every kind, and places that are searched for them', () => {
  expect(secrets.size).toBeGreaterThanOrEqual(25);
  for (const [name, value] of secrets) expect([name, value.length > 8]).toEqual([name, true]);
  for (const place of ['while it runs: svc.db-wal', 'while it runs: svc.db', 'the backup'])
    expect(evidence.get(place)?.length ?? 0).toBeGreaterThan(1_000);
  expect([...evidence.keys()].filter((place) => place.startsWith('the agent')).length).toBeGreaterThan(2);
  expect(answers.length).toBeGreaterThan(50);
});

describe('the search finds public markers, so that it would find a secret', () => {
  const found = (text: string) =>
    [...evidence].filter(([, bytes]) => Buffer.from(bytes).includes(text)).map(([place]) => place);

  test('a plain argument in the database, its log and its copy', () => {
    const places = found('a value that is no secret');
    expect(places.some((place) => place.includes('svc.db'))).toBe(true);
    expect(places).toContain('the backup');
  });

  test('other output of a command, and the mask in place of the secret', () => {
    expect(found('***').some((place) => /^answer \d+, POST .v1/.test(place))).toBe(true);
  });

  test('names in the audit log and in answers', () => {
    expect(found('a managed secret that nothing uses').length).toBe(0);
    expect(found('SHELL').some((place) => /^answer \d+, GET .audit/.test(place))).toBe(true);
  });

  test('lines of debugging in the log', () => {
    expect(found('the hub listens')).toContain('the log of the hub');
  });
});

test('no secret is anywhere, in no spelling', () => {
  const leaks: string[] = [];
  for (const [name, value] of secrets) {
    const forms = [...spellings(value), Buffer.from(value).toString('hex')].filter((one) => one.length > 8);
    for (const [place, bytes] of evidence)
      if (forms.some((form) => Buffer.from(bytes).includes(form))) leaks.push(`${name}: ${place}`);
  }
  expect(leaks).toEqual([]);
});
