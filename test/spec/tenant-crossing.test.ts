// Two workspaces, and every id of the one asked for with every credential of the other: there is nothing (decision 25,
// errors).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parametersOf, type Route } from '@svc/core/api/contract/route';
import { ROUTES } from '@svc/core/api/routes';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { LiveEventReader } from '../live-event-reader.ts';
import { type ParsedAnswer, type Person, readAnswer, signIn } from '../people.ts';
import { ScriptedAgent } from '../scripted-agent.ts';
import { fromGitHub } from '../webhooks.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Somebody's workspace with one of everything in it, and every way to prove that one is of it. */
interface Tenant {
  readonly username: string;
  readonly owner: Person;
  readonly agent: ScriptedAgent;
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

let world: HubWorld;
let ours: Tenant;
let theirs: Tenant;
/** Everything that they have, from their lists. */
let ids: readonly string[];
const SLUG = 'theirs-alone';
const pipelineOf = (slug: string) => `${slug}-pipeline`;
const secretOf = (username: string) => `signed by ${username}`;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  [ours, theirs] = [await tenant('ours', 'ours-alone'), await tenant('theirs', SLUG)];
  ids = [...(await idsOf(theirs))];
});
afterAll(async () => {
  for (const { agent } of [ours, theirs]) await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function tenant(username: string, slug: string): Promise<Tenant> {
  const owner = await signIn(world, `${username}@example.com`);
  await owner.ask('PUT', '/workspace/username', { body: { username } });
  const made = async (path: string, body: object) => (await owner.ask('POST', path, { body })).body;
  const apiKey = String((await made('/api-keys', { name: 'k' })).token);
  const agentToken = String((await made('/agent-tokens', { name: 'a' })).token);
  const accessToken = String((await made('/tokens', { name: 't' })).access_token);
  const { token: runnerToken } = await world.admin((admin) => admin.makeRunnerToken(`host of ${username}`));
  await made('/team/invite', { email: `guest-of-${username}@example.com`, role: 'member' });
  await made('/alerts', ROUTES.makeAlert.body.example as object);
  const pending = `${slug}-guarded`;
  const agent = await ScriptedAgent.connect({
    hubUrl: world.hub.hubUrl,
    token: agentToken,
    endpoints: [
      { name: slug, command: 'true' },
      { name: pending, command: 'true', approval_required: true },
    ],
  });
  await made('/pipelines', {
    slug: pipelineOf(slug),
    trigger: { type: 'webhook', secret: secretOf(username) },
    nodes: [
      { id: 'one', endpoint: slug },
      { id: 'two', endpoint: pending, needs: ['one'] },
    ],
  });
  // A run that waits for a person: it has an execution, an approval, and the signed call that it began with.
  await callSigned(username, slug, secretOf(username));
  await agent.answer('one\n');
  await untilWaiting(owner, 1);
  const call = () =>
    fetch(`${world.hub.baseUrl}/v1/${username}/${slug}`, {
      headers: { 'x-api-key': apiKey, prefer: 'respond-async' },
    });
  // One that has ended, and one that runs: streams and cancel apply to both.
  await call();
  const ended = await agent.answer(`the output of ${username}\n`);
  await agent.receive('ended_ack', ({ execution_id }) => execution_id === ended);
  await call();
  await agent.receive('run');
  return {
    username,
    owner,
    agent,
    headers: {
      session: { cookie: owner.cookie, origin: world.hub.hubUrl },
      'access token': { authorization: `Bearer ${accessToken}` },
      'API key': { 'x-api-key': apiKey },
      'agent token': { authorization: `Bearer ${agentToken}` },
      'runner token': { authorization: `Bearer ${runnerToken}` },
    },
  };
}

/** Until this many of their runs wait for an approval, and stay so. */
async function untilWaiting(owner: Person, count: number): Promise<void> {
  const waiting = async () => (await owner.ask('GET', '/pipeline-runs?status=waiting_approval')).body.items;
  while (((await waiting()) as unknown[]).length < count) await Bun.sleep(5);
}

/** Each is another to its receiver, since no two bodies are the same. */
function callSigned(username: string, slug: string, secret: string): Promise<Response> {
  const body = JSON.stringify({ id: crypto.randomUUID() });
  return fetch(`${world.hub.baseUrl}/v1/${username}/${pipelineOf(slug)}`, fromGitHub(secret, body));
}

const rows = Object.entries<Route>(ROUTES);
/** A stream without an end is no list: test/spec/live-events.test.ts. */
const isEndless = ({ answers }: Pick<Route, 'answers'>) =>
  Object.values(answers).some((answer) => answer.kind === 'media' && answer.eventSchema !== undefined);
const LISTS = rows.filter(
  ([, { method, path, access, answers }]) =>
    method === 'GET' &&
    parametersOf(path).length === 0 &&
    ['member', 'principal', 'user', 'owner', 'caller'].includes(access.kind) &&
    !isEndless({ answers }),
);

/** The rows in all lists of a user. */
async function listsOf({ owner }: Tenant): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [name, { path }] of LISTS) {
    const { status, body } = await owner.ask('GET', path);
    expect([name, status]).toEqual([name, 200]);
    found[name] = body;
  }
  return found;
}

async function idsOf(of: Tenant): Promise<Set<string>> {
  const seen = new Set<string>();
  JSON.stringify(await listsOf(of), (_key, value: unknown) => {
    if (typeof value === 'string' && UUID.test(value)) seen.add(value);
    return value;
  });
  return seen;
}

async function ask(
  row: Route,
  value: string,
  headers: Readonly<Record<string, string>>,
): Promise<ParsedAnswer> {
  // A version has no route of its own: its endpoint is requested.
  const path = row.path.replace('{version}', '1').replaceAll(/\{\w+\}/g, value);
  const body = row.body && JSON.stringify(row.body.example);
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return readAnswer(
    await fetch(`${world.hub.hubUrl}${path}`, {
      method: row.method,
      // As pages of the dashboard: without it a form of files is refused before anything is looked up.
      headers: { accept: 'application/json', 'x-requested-with': 'svc', ...json, ...headers },
      ...(body === undefined ? {} : { body }),
    }),
  );
}

/** A `PUT` with a name makes what has it in one's own workspace: that crosses nothing. */
const CROSSING = rows.filter(
  ([, { path, method, access }]) =>
    parametersOf(path).some((name) => !['token', 'username'].includes(name)) &&
    !path.startsWith('/v1/') &&
    method !== 'PUT' &&
    access.kind !== 'open',
);

function valuesFor({ path }: Route): readonly string[] {
  return parametersOf(path).includes('id') ? ids : [...ids, SLUG, pipelineOf(SLUG)];
}

test('the tenants have one of everything that can be asked for', async () => {
  for (const path of ['/pipelines', '/pipeline-runs', '/approvals', '/alerts', '/team/invites', '/api-keys'])
    expect([path, (await theirs.owner.ask('GET', path)).body.items]).toEqual([path, [expect.anything()]]);
  expect(ids.length).toBeGreaterThanOrEqual(12);
  expect(CROSSING.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      'streamExecution',
      'cancelExecution',
      'revokeApiKey',
      'removeMember',
      'endSession',
      'showPipelineVersion',
      'streamPipelineRun',
      'cancelPipelineRun',
      'rerunPipelineRun',
      'readRunRequest',
      'decideApproval',
    ]),
  );
});

describe.each(CROSSING)('%s', (_name, row) => {
  test('reveals nothing of another tenant', async () => {
    const before = await listsOf(theirs);
    for (const [credential, headers] of Object.entries(ours.headers)) {
      const unknown = await ask(row, crypto.randomUUID(), headers);
      // A route that a credential is not for answers 401, for any id.
      expect([401, 404]).toContain(unknown.status);
      for (const value of valuesFor(row)) {
        const { status, text } = await ask(row, value, headers);
        expect([credential, value, status]).toEqual([credential, value, unknown.status]);
        expect(text.replaceAll(value, 'ID')).not.toContain('theirs');
      }
    }
    expect(await listsOf(theirs)).toEqual(before);
  });
});

describe('their workspace', () => {
  test('cannot be chosen by its name', async () => {
    for (const [name, { path }] of LISTS) {
      for (const [credential, headers] of Object.entries(ours.headers)) {
        const named = { ...headers, 'x-svc-workspace': 'theirs' };
        const { status, text } = await readAnswer(
          await fetch(`${world.hub.hubUrl}${path}`, { headers: named }),
        );
        // Routes about oneself stay the same, whichever workspace a header names.
        const isOwn = status === 200 && !text.includes('theirs');
        expect([name, credential, isOwn || [401, 403].includes(status)]).toEqual([name, credential, true]);
      }
    }
  });

  test('has no endpoint that one can call, nor a call that one can resume', async () => {
    const [execution = ''] = await executionsOf(theirs);
    for (const [credential, headers] of Object.entries(ours.headers)) {
      const call = (slug: string, more: Record<string, string> = {}) =>
        fetch(`${world.hub.baseUrl}/v1/theirs/${slug}`, { headers: { ...headers, ...more } }).then(
          readAnswer,
        );
      const [real, none] = [await call(SLUG), await call('none')];
      expect([credential, real.status, real.text]).toEqual([credential, none.status, none.text]);
      expect([401, 404]).toContain(real.status);
      const ownSlug = `${world.hub.baseUrl}/v1/ours/ours-alone`;
      const resumed = await readAnswer(
        await fetch(ownSlug, {
          headers: { ...headers, 'last-event-id': execution, accept: 'text/event-stream' },
        }),
      );
      expect([204, 401, 404]).toContain(resumed.status);
      expect(resumed.text).not.toContain('theirs');
    }
  });
});

describe('their pipelines', () => {
  const ask = (method: string, path: string, body?: unknown) => ours.owner.ask(method, path, { body });

  test('cannot be started, listed by run, or called', async () => {
    const before = await listsOf(theirs);
    const start = (pipeline: string) => ask('POST', '/pipeline-runs', { pipeline, input: {} });
    const [real, none] = [await start(pipelineOf(SLUG)), await start('none')];
    expect([real.status, real.text]).toEqual([404, none.text]);
    const listed = await ask('GET', `/pipeline-runs?pipeline=${pipelineOf(SLUG)}`);
    expect([listed.status, listed.body.items]).toEqual([200, []]);
    const nodes = [{ id: 'one', endpoint: SLUG }];
    const built = await ask('POST', '/pipelines', { slug: 'x', trigger: { type: 'manual' }, nodes });
    expect([built.status, built.text]).toEqual([400, expect.stringContaining('there is no endpoint')]);
    expect(await listsOf(theirs)).toEqual(before);
  });

  test('take no call that is signed with the secret of another', async () => {
    const before = await listsOf(theirs);
    const answers = [
      await callSigned('theirs', SLUG, secretOf('ours')),
      await callSigned('theirs', 'none', secretOf('ours')),
    ];
    const [signed, none] = await Promise.all(answers.map(readAnswer));
    expect([signed?.status, signed?.text]).toEqual([401, none?.text]);
    expect(await listsOf(theirs)).toEqual(before);
  });

  test('are not opened by the read token of a run of ours', async () => {
    const nodes = [{ id: 'one', endpoint: 'ours-alone' }];
    await ask('POST', '/pipelines', { slug: 'open', trigger: { type: 'manual', public: true }, nodes });
    const begun = await fetch(`${world.hub.baseUrl}/v1/ours/open`, {
      method: 'POST',
      headers: { prefer: 'respond-async' },
    });
    const { run_id: own, status_url: url } = (await begun.json()) as { run_id: string; status_url: string };
    expect((await fetch(url)).status).toBe(200);
    for (const id of ids) {
      const responses = ['', '/stream', '/cancel'].map((path) =>
        fetch(url.replace(own, id + path), { method: path === '/cancel' ? 'POST' : 'GET' }),
      );
      for (const { status } of await Promise.all(responses)) expect([id, status]).toEqual([id, 401]);
    }
  });
});

test('events of their workspace are not sent to another', async () => {
  await using reader = await LiveEventReader.open(`${world.hub.hubUrl}/events`, {
    cookie: ours.owner.cookie,
  });
  expect((await reader.next())?.event).toEqual({ type: 'ready' });
  await callSigned('theirs', SLUG, secretOf('theirs'));
  const ran = await theirs.agent.answer('one\n');
  await untilWaiting(theirs.owner, 2);
  await theirs.owner.ask('POST', '/api-keys', { body: { name: 'of theirs' } });
  await ours.owner.ask('POST', '/api-keys', { body: { name: 'of ours' } });
  // Events of earlier actions in our own workspace may still arrive.
  const received: string[] = [];
  await reader.until((event) => {
    received.push(JSON.stringify(event));
    return event.type === 'change' && event.name === 'of ours';
  });
  for (const text of received) for (const own of [ran, SLUG, 'of theirs']) expect(text).not.toContain(own);
  const asTheirs = { cookie: ours.owner.cookie, 'x-svc-workspace': 'theirs' };
  expect((await fetch(`${world.hub.hubUrl}/events`, { headers: asTheirs })).status).toBe(403);
});

test('a template that one imports is in no other workspace', async () => {
  const before = await listsOf(theirs);
  const { status } = await ours.owner.ask('POST', '/api/templates/import', {
    body: { template_id: 'disk-usage' },
  });
  expect(status).toBe(201);
  expect(await listsOf(theirs)).toEqual(before);
});

async function executionsOf({ owner }: Tenant): Promise<string[]> {
  const { body } = await owner.ask('GET', '/executions');
  return (body.items as { execution_id: string }[]).map(({ execution_id: id }) => id);
}
