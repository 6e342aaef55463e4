// Every route × every kind of credential in every role (decision 25, errors, and decision 45, the table of routes): what
// its row says, and nothing else, decides.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { parametersOf, type Route } from '@svc/core/api/contract/route';
import { ROUTES, type RouteName } from '@svc/core/api/routes';
import { ASSIGNABLE_ROLES } from '@svc/core/team/invite';
import { PERMISSIONS, ROLES } from '@svc/core/workspace/permissions';
import { SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import { allCredentials, type Credential } from '../api/credentials.ts';
import { pathOf, takesAnyQuery } from '../api/wrong-requests.ts';
import { Approvals } from '../approvals.ts';
import { openHubFile } from '../hub-file.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { OAuthClient } from '../mcp/oauth-client.ts';
import { BrokenProvider, linkPerson } from '../openid-providers.ts';
import { makePipeline, postOf } from '../pipelines.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'guarded', command: 'true', approval_required: true },
];

let world: HubWorld;
let provider: BrokenProvider;
let credentials: readonly Credential[];
/** By the path before them, of the workspace that everything is about; made by its owner, the execution by its first key. */
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  provider = await BrokenProvider.start();
  // At an IP address there are no passkeys.
  const env = {
    SVC_HOST: 'localhost',
    SVC_RATE_LIMITS: 'off',
    SVC_MCP_DCR: 'on',
    SVC_SCIM_WORKSPACES: '*',
    ...provider.environment,
  };
  world = await hubWorld({ env });
  const agent = await world.agent({ endpoints: ENDPOINTS });
  const lin = await new Approvals(world).member('lin@example.com');
  const { access } = await (await OAuthClient.register(world)).connect(lin);
  credentials = [
    ...(await allCredentials(world)),
    {
      name: 'the token of an AI client',
      headers: { authorization: `Bearer ${access}` },
      kind: 'oauth',
      role: 'member',
    },
  ];
  const scim = await madeOf('/team/scim/token', {});
  credentials = [
    ...credentials,
    {
      name: 'the SCIM token of the workspace',
      headers: { authorization: `Bearer ${String(scim.token)}` },
      kind: 'scim_token',
    },
  ];
  const user = await fetch(`${world.hub.hubUrl}/scim/v2/Users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${String(scim.token)}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({ userName: 'idle@example.com', active: false }),
  });
  const { id: scimUser } = (await user.json()) as { id: string };
  const called = world.call('job');
  const execution = await answerWithFile(agent);
  await called;
  const invite = await madeId('/team/invite', { email: 'invited@example.com', role: 'member' });
  const pending = (await (await world.call('guarded')).json()) as { approval_id: string };
  ids = {
    '/executions': execution,
    '/agents/artifacts': execution,
    '/scim/v2/Users': scimUser,
    '/scim/v2/Groups': scimUser,
    '/pipeline-runs': await signedRun(agent),
    '/approvals': pending.approval_id,
    '/api-keys': await firstId('/api-keys'),
    '/ai-clients': await firstId('/ai-clients'),
    '/service-accounts': await firstId('/service-accounts'),
    '/service-account-keys': await firstServiceKey(),
    '/agent-tokens': await firstId('/agent-tokens'),
    '/team/members': await firstId('/team/members'),
    '/team/invite': invite,
    '/team/invites': invite,
    '/auth/sessions': await firstId('/auth/sessions'),
    '/auth/identities': await linkedIdentity(),
    '/auth/passkeys': await addedPasskey(),
    '/tokens': await firstId('/tokens'),
    '/team/endpoint-grants': await madeId('/team/endpoint-grants', {
      grantee_kind: 'group',
      grantee: 'nobody-is-in-it',
      endpoints: ['*'],
      can: ['edit'],
    }),
    '/team/endpoint-rights': await firstId('/team/members'),
    '/alerts': await madeId('/alerts', ROUTES.makeAlert.body.example),
  };
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

async function linkedIdentity(): Promise<string> {
  const owner = credentials.find(({ kind, role }) => kind === 'session' && role === 'owner');
  provider.person = { sub: 'owner', email: 'operator@localhost', email_verified: true };
  await linkPerson(world.hub.hubUrl, owner?.headers ?? {});
  return firstId('/auth/identities');
}

async function addedPasskey(): Promise<string> {
  const owner = credentials.find(({ kind, role }) => kind === 'session' && role === 'owner');
  const { origin } = new URL(world.hub.hubUrl);
  const send = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${world.hub.hubUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const begun = await send('/auth/passkeys/challenge', owner?.headers ?? {});
  const { challenge, rp_id: rpId } = (await begun.json()) as { challenge: string; rp_id: string };
  const cookie = `${owner?.headers.cookie}; ${begun.headers.get('set-cookie')?.split(';')[0]}`;
  const { clientData, ...made } = new SoftwareAuthenticator().create({ challenge, rpId, origin });
  const body = { ...made, client_data: clientData, name: 'Laptop' };
  const added = await send('/auth/passkeys', { ...owner?.headers, cookie }, body);
  return ((await added.json()) as { id: string }).id;
}

/** Plays an execution that leaves the file of the paths, of no bytes. */
async function answerWithFile(agent: ScriptedAgent): Promise<string> {
  const { execution_id: id } = await agent.receive('run');
  const rows = {
    [`/agents/artifacts/${id}`]: ROUTES.announceArtifacts,
    [`/agents/artifacts/${id}/1`]: ROUTES.endArtifact,
  };
  for (const [path, { body }] of Object.entries(rows))
    await fetch(`${world.hub.hubUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.start.agentToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body.example),
    });
  agent.output(id, 1, 'mine\n');
  agent.end(id, 1);
  return id;
}

/** A run that the first key began by a signed call, and that has ended: every route about runs has an answer for it. */
async function signedRun(agent: ScriptedAgent): Promise<string> {
  await makePipeline(world, {
    slug: 'chain',
    trigger: { type: 'webhook', secret: 'the secret' },
    nodes: [{ id: 'job', endpoint: 'job' }],
  });
  const signature = createHmac('sha256', 'the secret').update('{}').digest('hex');
  const response = await world.call('chain', postOf({}, { 'x-hub-signature-256': `sha256=${signature}` }));
  const { run_id: runId } = (await response.json()) as { run_id: string };
  await agent.answer('ran\n');
  await (await world.manage(`/pipeline-runs/${runId}/stream`)).text();
  return runId;
}

async function firstId(list: string): Promise<string> {
  const { items } = (await (await world.manage(list)).json()) as { items: { id: string }[] };
  return items[0]?.id ?? '';
}

async function firstServiceKey(): Promise<string> {
  const { items } = (await (await world.manage('/service-accounts')).json()) as {
    items: { keys: { id: string }[] }[];
  };
  return items[0]?.keys[0]?.id ?? '';
}

async function madeId(path: string, body: object): Promise<string> {
  return String((await madeOf(path, body)).id);
}

async function madeOf(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' };
  const response = await world.manage(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

/** The part of a path before its id. */
function areaOf({ path }: Route): string {
  return path.split('/{id}')[0] ?? '';
}

type Outcome = 'allowed' | 401 | 403 | 404;

/** The expected outcome of a row's access for a credential; each kind of access is written out again, apart from the hub. */
function expected({ access, path }: Route, credential: Credential): Outcome {
  const { kind, role, isOperator, isBound } = credential;
  const isTaken = (kinds: readonly string[]) => kind !== undefined && kinds.includes(kind);
  switch (access.kind) {
    case 'open':
      return 'allowed';
    case 'user':
      if (!isTaken(access.credentials)) return 401;
      return isBound && !access.isForEverySession ? 403 : 'allowed';
    case 'owner':
      if (!isTaken(access.credentials)) return 401;
      if (role === undefined) return ofNobodyHere(credential);
      return role === 'owner' ? 'allowed' : 403;
    case 'member':
      if (!isTaken(access.credentials)) return 401;
      if (role === undefined) return ofNobodyHere(credential);
      return (PERMISSIONS[access.permission] as readonly string[]).includes(role) ? 'allowed' : 403;
    case 'principal':
      if (!isTaken(access.credentials)) return 401;
      if (role === undefined) return ofNobodyHere(credential);
      return (PERMISSIONS[access.permission] as readonly string[]).includes(role) ? 'allowed' : 403;
    case 'operator':
      return isOperator ? 'allowed' : 404;
    case 'agent':
      return kind === 'agent_token' ? 'allowed' : 401;
    case 'scim':
      return kind === 'scim_token' ? 'allowed' : 401;
    case 'caller':
      return kind === 'service_key'
        ? ofServiceAccount(path, access.credentials, credential)
        : ofCaller(access.credentials, credential);
  }
}

/** Viewers see what these rows are about, and may not do it. */
const NOT_FOR_VIEWERS: readonly string[] = [
  'callEndpoint',
  'callEndpointByGet',
  'cancelExecution',
  'cancelPipelineRun',
  'rerunPipelineRun',
];

/** A member of another workspace with a valid session gets `forbidden`; everyone else counts as unauthenticated. */
function ofNobodyHere({ kind }: Credential): Outcome {
  return kind === 'session' ? 403 : 401;
}

/** The outcome for things of the workspace: its execution, made by its first key, and its endpoint. */
function ofCaller(kinds: readonly string[], credential: Credential): Outcome {
  const { kind, role, isForeign, scope } = credential;
  if (kind === undefined || !kinds.includes(kind)) return 401;
  if (kind !== 'api_key' && role === undefined) return ofNobodyHere(credential);
  return isForeign || scope !== undefined ? 404 : 'allowed';
}

/** The key of a service account calls as any API key, and sees only its own executions. That of a viewer calls nothing. */
function ofServiceAccount(path: string, kinds: readonly string[], credential: Credential): Outcome {
  if (!kinds.includes('api_key')) return 401;
  const isItsOwn = !path.includes('{id}') && !(path.includes('{slug}') && credential.role === 'viewer');
  return isItsOwn && !credential.isForeign ? 'allowed' : 404;
}

const rows = Object.entries(ROUTES) as [RouteName, Route][];
const CALLS: readonly RouteName[] = ['callEndpoint', 'callEndpointByGet'];
/** Theirs is the answer of a list without what is others'. */
const LISTS: readonly RouteName[] = ['listExecutions', 'listPipelineRuns', 'tailOutput', 'mcp'];
/** A key with a scope gets the part of its scope. */
const NARROWED: readonly RouteName[] = ['mcpOfWorkspace', 'listCallables', 'describeCallables'];

/**
 * Sends a request without effect: an unknown query parameter is refused after the access check, and before any change. A
 * request of a caller is checked by its object, so it is sent as it is.
 */
async function outcome(name: RouteName, row: Route, credential: Credential): Promise<'allowed' | number> {
  const isStrict = !takesAnyQuery(row) && row.access.kind !== 'caller';
  const response = await fetch(`${world.hub.hubUrl}${targetOf(name, row)}${isStrict ? '?zzz=1' : ''}`, {
    method: row.method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      prefer: 'respond-async',
      ...(row.access.kind === 'open' ? { origin: world.hub.hubUrl } : {}),
      ...credential.headers,
    },
  });
  const { status } = response;
  if (name === 'tailOutput' && response.ok) {
    // Its stream has no end.
    await response.body?.cancel();
    return 'allowed';
  }
  const text = await response.text();
  if (isStrict) return status === 400 && text.includes('"zzz"') ? 'allowed' : status;
  const isRefused =
    status === 401 ||
    status === 403 ||
    (status === 404 && row.access.kind !== 'open' && row.access.kind !== 'scim');
  return isRefused || status >= 500 ? status : 'allowed';
}

function targetOf(name: RouteName, row: Route): string {
  if (CALLS.includes(name)) return `/v1/${world.start.username}/job`;
  if (row.access.kind !== 'caller') return pathOf(row);
  const path = row.path.replace('{id}', ids[areaOf(row)] ?? '').replace('{username}', world.start.username);
  return name === 'readArtifact' ? pathOf({ ...row, path }) : path;
}

describe.each(rows)('%s', (name, row) => {
  test('is for those that its row says', async () => {
    const wrong: string[] = [];
    for (const credential of credentials) {
      const isOnlyLooking = credential.role === 'viewer' && NOT_FOR_VIEWERS.includes(name);
      const rowSays = expected(row, credential);
      const wanted = isOnlyLooking && rowSays === 'allowed' ? 403 : rowSays;
      const isNarrowed = NARROWED.includes(name) && credential.scope !== undefined;
      const isList = LISTS.includes(name) || isNarrowed;
      const want = isList && wanted === 404 ? 'allowed' : wanted;
      const got = await outcome(name, row, credential);
      if (got !== want) wrong.push(`${credential.name}: ${want} expected, ${got} found`);
    }
    expect(wrong).toEqual([]);
  });
});

test('every role has an account in this matrix, by session and by token', () => {
  const seen = credentials.filter(({ isForeign }) => !isForeign).map(({ kind, role }) => `${kind} ${role}`);
  for (const role of ROLES) expect(seen).toContain(`session ${role}`);
  for (const role of ROLES) expect(seen).toContain(`personal ${role}`);
  for (const role of ASSIGNABLE_ROLES) expect(seen).toContain(`service_key ${role}`);
});

describe('a session', () => {
  const changing = rows.filter(
    ([, { method, access }]) =>
      method !== 'GET' &&
      'credentials' in access &&
      (access.credentials as readonly string[]).includes('session'),
  );

  test.each(changing)('is refused from pages of other sites: %s', async (name, row) => {
    const { headers } = credentials.find(({ kind, role }) => kind === 'session' && role === 'owner') ?? {
      headers: {},
    };
    const withoutOrigin = Object.fromEntries(
      Object.entries(headers).filter(([header]) => header !== 'origin'),
    );
    for (const site of [
      {},
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: world.hub.hubUrl },
    ])
      expect([site, await outcome(name, row, { name: '', headers: { ...withoutOrigin, ...site } })]).toEqual([
        site,
        403,
      ]);
  });
});

describe('rows of another workspace do not exist', () => {
  const withIds = rows.filter(([, { path }]) => parametersOf(path).includes('id'));

  test.each(withIds)('%s', async (_name, row) => {
    const area = areaOf(row);
    // A new area with ids says here which id is real.
    expect(Object.keys(ids)).toContain(area);
    const strangers = credentials.filter(({ isForeign }) => isForeign);
    for (const { headers } of strangers) {
      const ask = async (id: string) => {
        const url = `${world.hub.hubUrl}${row.path.replace('{id}', id)}`;
        const body = row.body && JSON.stringify(row.body.example);
        const json = body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
        const response = await fetch(url, { method: row.method, headers: json, ...(body ? { body } : {}) });
        return [response.status, await response.text()];
      };
      const [foreign, unknown] = [await ask(ids[area] ?? ''), await ask(crypto.randomUUID())];
      expect(foreign).toEqual(unknown);
      expect(foreign[0] === 404 || foreign[0] === 401).toBe(true);
    }
  });
});

/** Their lists are without what a principal may not view, and their objects are found only by its name. */
const OF_NO_ENDPOINT: readonly RouteName[] = [...LISTS, ...NARROWED];

describe('where members have only the endpoints of grants', () => {
  beforeAll(async () => {
    // An AI agent has a token of the owner by now, so only the session may change this.
    const owner = credentials.find(({ kind, role }) => kind === 'session' && role === 'owner');
    const response = await fetch(`${world.hub.hubUrl}/team/endpoint-access`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...owner?.headers },
      body: JSON.stringify({ access: 'by_grants' }),
    });
    expect(response.status).toBe(200);
  });

  test.each(rows)('%s', async (name, row) => {
    const wrong: string[] = [];
    for (const credential of credentials) {
      const { role, isForeign } = credential;
      const isLimited = (role === 'member' || role === 'viewer') && isForeign === undefined;
      const rowSays = expected(row, credential);
      // An answer 401 stays, and so do routes that are not about the workspace.
      if (!isLimited || rowSays === 401 || !('credentials' in row.access) || row.access.kind === 'user')
        continue;
      const got = await outcome(name, row, credential);
      if (row.access.kind === 'caller') {
        const want = OF_NO_ENDPOINT.includes(name) ? 'allowed' : 404;
        if (got !== want) wrong.push(`${credential.name}: ${want} expected, ${got} found`);
        continue;
      }
      const isOpen = 'byEndpoint' in row.access && row.access.byEndpoint !== undefined;
      const want = isOpen ? rowSays : 403;
      if (got !== want) wrong.push(`${credential.name}: ${want} expected, ${got} found`);
    }
    expect(wrong).toEqual([]);
  });

  test('the objects of endpoints are not there, and the lists are empty', async () => {
    const limited = credentials.filter(
      ({ role, kind, isForeign }) =>
        role !== undefined &&
        ['member', 'viewer'].includes(role) &&
        kind !== 'oauth' &&
        isForeign === undefined,
    );
    expect(limited.length).toBeGreaterThan(4);
    const execution = ids['/executions'] ?? '';
    const read = async (path: string, { headers }: Credential) => {
      const response = await fetch(`${world.hub.hubUrl}${path}`, { headers });
      return [path, response.status, await response.text()] as const;
    };
    for (const credential of limited) {
      const isKey = credential.kind === 'service_key';
      for (const path of ['/endpoints/job', '/pipelines/chain', `/executions/${execution}/definition`])
        expect((await read(path, credential))[1]).toBe(404);
      for (const path of ['/endpoints', '/pipelines', '/schedules', ...(isKey ? [] : ['/approvals'])]) {
        const [, status, text] = await read(path, credential);
        expect([path, status, JSON.parse(text).items]).toEqual([path, 200, []]);
      }
      const [, , agents] = await read('/agents', credential);
      expect(agents).not.toContain('"job"');
      const [, , counted] = await read('/executions/stats?endpoint=job', credential);
      const { buckets } = JSON.parse(counted) as { buckets: { states: Record<string, number> }[] };
      expect(buckets.every(({ states }) => Object.values(states).every((count) => count === 0))).toBe(true);
      const [, status, executions] = await read('/executions', credential);
      expect([status, executions]).toEqual([200, expect.not.stringContaining('"job"')]);
    }
  });
});

describe('where the workspace demands a second factor, which only the owner has', () => {
  beforeAll(async () => {
    using database = openHubFile(world.dataDir);
    database.run("UPDATE workspaces SET second_factor = 'required', endpoint_access = NULL");
    database.run('UPDATE users SET second_factor_since_ms = 1 WHERE id IN (SELECT owner_id FROM workspaces)');
    // The members who are in the matrix own workspaces of their own, too.
    database.run(
      "UPDATE users SET second_factor_since_ms = NULL WHERE id IN (SELECT user_id FROM members WHERE role <> 'owner')",
    );
    // The hub refreshes its caches with each heartbeat, so that it sees what another process wrote.
    await world.clock.heartbeat(1);
  });

  test.each(rows)('%s', async (name, row) => {
    const wrong: string[] = [];
    for (const credential of credentials) {
      const { role, kind, isForeign } = credential;
      const isOfPerson = kind === 'session' || kind === 'personal' || kind === 'oauth';
      const isLacking = isOfPerson && role !== undefined && role !== 'owner' && isForeign === undefined;
      const isOfWorkspace = 'credentials' in row.access && row.access.kind !== 'user';
      const rowSays = expected(row, credential);
      if (!isLacking || !isOfWorkspace || rowSays === 401) continue;
      const got = await outcome(name, row, credential);
      if (got !== 403) wrong.push(`${credential.name}: 403 expected, ${got} found`);
    }
    expect(wrong).toEqual([]);
  });

  test('the owner, service accounts and keys of the owner go on', async () => {
    const going = credentials.filter(
      ({ role, kind, isForeign, scope }) =>
        isForeign === undefined &&
        scope === undefined &&
        (kind === 'api_key' || kind === 'service_key' || (kind === 'session' && role === 'owner')),
    );
    expect(going.length).toBeGreaterThan(4);
    for (const credential of going) {
      const name = credential.kind === 'api_key' ? 'listExecutions' : 'listEndpoints';
      expect([credential.name, await outcome(name, ROUTES[name], credential)]).toEqual([
        credential.name,
        'allowed',
      ]);
    }
  });
});
