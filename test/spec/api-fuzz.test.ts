// Whatever is sent to the API: a 4xx that names the fields, never a 500; whatever comes back is what the row says.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { parametersOf, type Route } from '@svc/core/api/contract/route';
import { ROUTES, type RouteName } from '@svc/core/api/routes';
import fc from 'fast-check';
import {
  pathOf,
  strangeHeaders,
  strangePaths,
  type WrongRequest,
  wrongBodies,
  wrongQueries,
} from '../api/wrong-requests.ts';
import { answerProblem } from '../check-answer.ts';
import { postForm } from '../forms.ts';
import { placeOfTests } from '../hub-database.ts';
import { OAuthClient } from '../mcp/oauth-client.ts';
import { BrokenProvider, linkPerson } from '../openid-providers.ts';
import { type UpProgram, upProgram } from '../up-program.ts';

setDefaultTimeout(120_000);

const SEED = 20_261_120;
const IS_LONG = process.env.SVC_TEST_LONG === '1';
/** On PostgreSQL the same requests meet other columns, and the same checks before them: the first ones are enough. */
const RUNS = IS_LONG ? 1_000 : placeOfTests() === 'one hub on SQLite' ? 30 : 10;

/** Agents speak another protocol behind this route. */
const rows = (Object.entries(ROUTES) as [RouteName, Route][]).filter(([name]) => name !== 'connectAgent');
/** For these, the fields of the body are those of the endpoint, and `details` is about arguments. */
const CALLS: readonly RouteName[] = ['callEndpoint', 'callEndpointByGet'];

let up: UpProgram;
let provider: BrokenProvider;
let agentToken: string;
beforeAll(async () => {
  provider = await BrokenProvider.start();
  up = await upProgram(
    [
      { name: 'hello', command: 'echo "Hello, {{name}}!"', args: [{ name: 'name', default: 'x' }] },
      { name: 'guarded', command: 'true', approval_required: true },
      { name: 'build', command: 'touch "$SVC_OUTPUT_DIR/app.zip"', artifacts: ['*.zip'] },
    ],
    {
      SVC_RATE_LIMITS: 'off',
      SVC_LOG_LEVEL: 'warn',
      SVC_MCP_DCR: 'on',
      SVC_SCIM_WORKSPACES: '*',
      ...provider.environment,
    },
  );
  await makeChain();
  agentToken = await made('makeAgentToken', 'token');
});
afterAll(async () => {
  await up[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const SECRET = 'the secret';

/** Its step has the name that the examples of the rows speak of. */
async function makeChain(): Promise<void> {
  const chain = {
    slug: 'chain',
    trigger: { type: 'webhook', secret: SECRET },
    nodes: [{ id: 'build', endpoint: 'hello' }],
  };
  await send('createPipeline', ROUTES.createPipeline, {
    path: '/pipelines',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(chain),
  });
}

/** The best credential that the row takes: what is refused is refused for what was sent. */
async function credentialOf(name: RouteName, { access }: Route): Promise<Readonly<Record<string, string>>> {
  const { api_key: apiKey, access_token: token } = up.ready;
  if (name === 'signOut') return { authorization: `Bearer ${await freshToken()}` };
  // The user who signs out everywhere must not be needed by other tests.
  if (name === 'signOutEverywhere') return signIn('stranger@example.com');
  // An example is sent to /mcp with the access token too, and the token of an agent decides on nothing.
  if (name === 'decideApproval') return up.session;
  if (access.kind === 'agent') return { authorization: `Bearer ${agentToken}` };
  // A request for another token ends the one before.
  if (access.kind === 'scim') return { authorization: `Bearer ${await made('makeScimToken', 'token')}` };
  if (access.kind === 'open') return {};
  const kinds: readonly string[] = access.kind === 'operator' ? ['personal'] : access.credentials;
  if (kinds.includes('personal')) return { authorization: `Bearer ${token}` };
  return kinds.includes('session') ? up.session : { 'x-api-key': apiKey };
}

async function freshToken(): Promise<string> {
  const made = await fetch(`${up.ready.hub_url}/tokens`, { method: 'POST', headers: up.session });
  return ((await made.json()) as { access_token: string }).access_token;
}

/** The session of a user who signs in with a link in a mail. */
async function signIn(email: string): Promise<Readonly<Record<string, string>>> {
  const { hub_url: hub, access_token: token } = up.ready;
  await fetch(`${hub}/auth/magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  const response = await postForm(await mailedLink(email, token));
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { cookie, origin: hub };
}

async function mailedLink(email: string, token: string): Promise<string> {
  const outbox = await fetch(`${up.ready.hub_url}/outbox`, { headers: { authorization: `Bearer ${token}` } });
  const { items } = (await outbox.json()) as { items: { to: string; text: string }[] };
  const mail = items.find(({ to }) => to === email);
  return /http\S+/.exec(mail?.text ?? '')?.[0] ?? '';
}

/** Somebody who has just joined the team of `svc up`. */
async function memberId(): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`;
  await made('inviteMember', 'id', { email });
  const link = await mailedLink(email, up.ready.access_token);
  await fetch(link, { method: 'POST', headers: await signIn(email) });
  return newestOf('listMembers');
}

/** The id of the newest item of a list. */
async function newestOf(list: RouteName): Promise<string> {
  const row: Route = ROUTES[list];
  const { body } = await send(list, row, { path: `${row.path}?limit=100` });
  const { items } = body as { items: { id: string }[] };
  return (
    items
      .map(({ id }) => id)
      .sort()
      .at(-1) ?? ''
  );
}

interface Got {
  readonly status: number;
  readonly body: unknown;
}

async function send(name: RouteName, row: Route, request: Omit<WrongRequest, 'what'>): Promise<Got> {
  const { path, headers, body } = request;
  const sent = typeof body === 'function' ? body() : body;
  const response = await fetch(`${up.ready.hub_url}${path}`, {
    method: row.method,
    redirect: 'manual',
    headers: { accept: 'application/json', ...(await credentialOf(name, row)), ...headers },
    ...(sent === undefined ? {} : { body: sent as BodyInit }),
  });
  if (isEndless(row) && response.ok) {
    await response.body?.cancel();
    return { status: response.status, body: undefined };
  }
  const text = await response.text();
  const isJson = /^application\/(?:scim\+)?json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : undefined };
}

/** Streams that stay open while the client reads them. */
function isEndless({ answers }: Route): boolean {
  return Object.values(answers).some((answer) => answer.kind === 'media' && answer.eventSchema !== undefined);
}

/** The problem of an answer, for any request. */
function complaint(row: Route, { status, body }: Got): string | undefined {
  if (
    status === 500 ||
    (status >= 500 && !(status in row.answers) && (body as { code?: string }).code === 'internal_error')
  )
    return `a bug: ${JSON.stringify(body)}`;
  return answerProblem(row, { status, body });
}

function fieldsOf({ body }: Got): string[] {
  const { detail } = body as { detail?: string };
  // An error of SCIM names the field in its text.
  if (detail !== undefined) return [/^[\w.]+/.exec(detail)?.[0] ?? ''];
  const { details = {} } = body as { details?: { fields?: { field: string }[]; line?: number } };
  if (details.line !== undefined) return ['line'];
  return details.fields?.map(({ field }) => field) ?? [];
}

/** All of these, one after the other; what was not answered as it should be, in words. */
async function failures(name: RouteName, row: Route, requests: readonly WrongRequest[]): Promise<string[]> {
  const found: string[] = [];
  for (const request of requests) {
    const got = await send(name, row, request);
    const problem = complaint(row, got) ?? (CALLS.includes(name) ? undefined : shortcoming(request, got));
    if (problem !== undefined) found.push(`${request.what}: ${got.status}: ${problem}`);
  }
  return found;
}

/** A 4xx as it was expected, which says which field it is about. */
function shortcoming({ status, field }: WrongRequest, got: Got): string | undefined {
  if (status === undefined) return got.status < 500 ? undefined : 'a 5xx';
  if (got.status !== status) return `${status} was expected: ${JSON.stringify(got.body)}`;
  if (field === undefined) return undefined;
  const isNamed = fieldsOf(got).some(
    (named) => named === field || named.startsWith(`${field}.`) || named === 'line',
  );
  return isNamed ? undefined : `the field "${field}" is not named: ${JSON.stringify(got.body)}`;
}

describe.each(rows)('%s', (name, row) => {
  test('refuses every body that is wrong, with its fields', async () => {
    expect(await failures(name, row, wrongBodies(row))).toEqual([]);
  });

  test('refuses every query that is wrong, with its fields', async () => {
    expect(await failures(name, row, wrongQueries(row))).toEqual([]);
  });

  test('finds nothing at strange paths, and does not stumble over strange headers', async () => {
    expect(await failures(name, row, [...strangePaths(row), ...strangeHeaders(row)])).toEqual([]);
  });

  test('answers whatever is sent at random as its row says', async () => {
    const known = typeof row.query === 'object' ? namesIn(row.query) : [];
    const names = known.length === 0 ? ['a'] : known;
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('1', '100', 'x', ''));
    const query = fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 3 });
    const anything = fc.jsonValue({ maxDepth: 3 });
    const fields = row.body === undefined ? [] : namesIn(row.body.schema);
    const nearly = fc
      .dictionary(fc.constantFrom('x', ...fields), anything, { maxKeys: 3 })
      .map((changes) => ({ ...(row.body?.example as object), ...changes }));
    const body =
      row.body === undefined
        ? fc.constant(undefined)
        : fc.option(fc.oneof(nearly, anything), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(query, body, async (pairs, value) => {
        const encoded = pairs.map((pair) =>
          pair.map((one) => encodeURIComponent(one.toWellFormed())).join('='),
        );
        const path = encoded.length === 0 ? pathOf(row) : `${pathOf(row)}?${encoded.join('&')}`;
        const sent =
          value === undefined
            ? {}
            : { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
        const got = await send(name, row, { path, ...sent });
        expect([got.status, complaint(row, got)]).toEqual([got.status, undefined]);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });
});

test('every route that needs no record of its own answers its example with success', async () => {
  const refused: string[] = [];
  for (const [name, row] of rows) {
    if (parametersOf(row.path).length > 0 || NEEDS_MORE.includes(name)) continue;
    const body = { ...(row.body?.example as object), ...EXAMPLES[name] };
    const sent = row.body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const got = await send(name, row, { path: row.path, ...sent });
    // Pages may send people on.
    if (got.status >= 400 || complaint(row, got) !== undefined)
      refused.push(`${name}: ${JSON.stringify(got)}`);
  }
  expect(refused).toEqual([]);
});

function namesIn(schema: object): string[] {
  return 'shape' in schema ? Object.keys(schema.shape as object) : [];
}

test('every route of a record succeeds for an existing one', async () => {
  const refused: string[] = [];
  const ofRecords = rows.filter(
    ([name, { path, access }]) =>
      parametersOf(path).includes('id') && access.kind !== 'agent' && !NEEDS_MORE.includes(name),
  );
  for (const [name, row] of ofRecords) {
    // A new route of a record says here how one is made.
    const make = RECORDS[name];
    expect([name, make]).not.toEqual([name, undefined]);
    const id = (await make?.()) ?? '';
    const body = row.body && {
      body: JSON.stringify(row.body.example),
      headers: { 'content-type': 'application/json' },
    };
    const path = pathOf({ ...row, path: row.path.replace('{id}', id) });
    const got = await send(name, row, { path, ...body });
    if (got.status >= 300 || complaint(row, got) !== undefined)
      refused.push(`${name}: ${JSON.stringify(got)}`);
  }
  expect(refused).toEqual([]);
});

async function made(name: RouteName, field: string, more: object = {}): Promise<string> {
  const row: Route = ROUTES[name];
  const body = JSON.stringify({ ...(row.body?.example as object), ...EXAMPLES[name], ...more });
  const got = await send(name, row, {
    path: row.path,
    body,
    headers: { 'content-type': 'application/json' },
  });
  return (got.body as Record<string, string>)[field] ?? '';
}

const execution = () => made('startExecution', 'execution_id');
/** Each has a name of its own, as the hub demands. */
const serviceAccount = () => made('makeServiceAccount', 'id', { name: crypto.randomUUID() });
/** One that has ended and left `app.zip`. */
async function executionWithFile(): Promise<string> {
  const id = await made('startExecution', 'execution_id', { endpoint: 'build', args: {} });
  const headers = await credentialOf('streamExecution', ROUTES.streamExecution);
  await (await fetch(`${up.ready.hub_url}/executions/${id}/stream`, { headers })).text();
  return id;
}
const approval = () => made('startExecution', 'approval_id', { endpoint: 'guarded', args: {} });
const invite = () => made('inviteMember', 'id', { email: `${crypto.randomUUID()}@example.com` });
const alert = () => made('makeAlert', 'id');
const pipelineRun = () => made('startPipelineRun', 'run_id');
async function endedRun(): Promise<string> {
  const id = await pipelineRun();
  const headers = await credentialOf('streamPipelineRun', ROUTES.streamPipelineRun);
  await (await fetch(`${up.ready.hub_url}/pipeline-runs/${id}/stream`, { headers })).text();
  return id;
}
/** An execution that began with a signed call. */
async function signedRun(): Promise<string> {
  const signature = createHmac('sha256', SECRET).update('{}').digest('hex');
  const response = await fetch(`${up.ready.base_url}/v1/${up.ready.username}/chain`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
    body: '{}',
  });
  return ((await response.json()) as { run_id: string }).run_id;
}
const RECORDS: Partial<Record<RouteName, () => Promise<string>>> = {
  runAgain: execution,
  showExecution: execution,
  streamExecution: execution,
  readOutput: execution,
  cancelExecution: execution,
  listArtifacts: executionWithFile,
  readArtifact: executionWithFile,
  readArtifactArchive: executionWithFile,
  showApproval: approval,
  decideApproval: approval,
  rotateApiKey: () => made('makeApiKey', 'id'),
  showAlert: alert,
  changeAlert: alert,
  deleteAlert: alert,
  rotateAlertSecret: alert,
  testAlert: alert,
  listAlertDeliveries: alert,
  changeMember: memberId,
  removeMember: memberId,
  listEndpointRights: memberId,
  resendInvite: invite,
  withdrawInvite: invite,
  endSession: async () => {
    await signIn('operator@localhost');
    return newestOf('listSessions');
  },
  unlinkIdentity: async () => {
    provider.person = { sub: 'operator', email: 'operator@localhost', email_verified: true };
    await linkPerson(up.ready.hub_url, up.session);
    return newestOf('listIdentities');
  },
  revokePersonalToken: () => made('makePersonalToken', 'id'),
  revokeAiClient: async () => {
    const client = await OAuthClient.register({ hub: { hubUrl: up.ready.hub_url } });
    await client.connect({ cookie: up.session.cookie ?? '' });
    return newestOf('listAiClients');
  },
  revokeApiKey: () => made('makeApiKey', 'id'),
  disableServiceAccount: serviceAccount,
  makeServiceAccountKey: serviceAccount,
  revokeServiceAccountKey: async () => {
    const row = ROUTES.makeServiceAccountKey;
    const path = row.path.replace('{id}', await serviceAccount());
    const got = await send('makeServiceAccountKey', row, {
      path,
      body: JSON.stringify(row.body.example),
      headers: { 'content-type': 'application/json' },
    });
    return (got.body as { id: string }).id;
  },
  showExecutedDefinition: execution,
  deleteEndpointGrant: async () => {
    const { path, body } = ROUTES.makeEndpointGrant;
    const response = await fetch(`${up.ready.hub_url}${path}`, {
      method: 'POST',
      headers: { ...up.session, 'content-type': 'application/json' },
      body: JSON.stringify(body.example),
    });
    return ((await response.json()) as { id: string }).id;
  },
  revokeAgentToken: () => made('makeAgentToken', 'id'),
  showPipelineRun: pipelineRun,
  streamPipelineRun: pipelineRun,
  readRunRequest: signedRun,
  cancelPipelineRun: pipelineRun,
  rerunPipelineRun: endedRun,
};

/** The names that the examples of the rows have here. */
const EXAMPLES: Partial<Record<RouteName, object>> = {
  // Earlier tests have taken the names of the examples.
  createWorkspace: { username: 'fresh-workspace' },
  changeUsername: { username: 'fresh-username' },
  // Tests before this may have taken the name of the example.
  makeServiceAccount: { name: 'reports of the night' },
  startExecution: { endpoint: 'hello', args: { name: 'Ada' } },
  changePlan: { plan: 'unlimited' },
  createEndpoint: { slug: 'made-by-example' },
  createPipeline: {
    slug: 'chain-by-example',
    nodes: [
      { id: 'is_main', endpoint: 'hello' },
      { id: 'deploy', endpoint: 'hello' },
    ],
    edges: null,
  },
  startPipelineRun: { pipeline: 'chain', input: {} },
};
/** A form, a code, a link, a message of another protocol or a choice that was made already: these have tests of their own. */
const NEEDS_MORE: readonly RouteName[] = [
  // The account of `svc up` keeps its address.
  'requestEmailChange',
  'withdrawEmailChange',
  // Documents of SCIM, and a token that all of these tests need.
  'makeScimToken',
  'removeScimToken',
  'addScimUser',
  'showScimUser',
  'replaceScimUser',
  'changeScimUser',
  'removeScimUser',
  'addScimGroup',
  'showScimGroup',
  'replaceScimGroup',
  'changeScimGroup',
  'removeScimGroup',
  // A second member, or an offer of the ownership.
  'offerOwnership',
  'endOwnershipOffer',
  'acceptOwnership',
  // A sign-in provider at a public address.
  'setSignInProvider',
  'testSignInProvider',
  'removeSignInProvider',
  'mcp',
  // The token of these tests speaks MCP as well, so it counts as that of an agent.
  'setAiAccess',
  'makeEndpointGrant',
  'setEndpointAccess',
  'setGroupRoles',
  'requestSignIn',
  'finishProviderSignIn',
  'endProviderSessions',
  // This hub is at an IP address, where browsers refuse passkeys.
  'beginApprovalPasskey',
  'beginPasskeySignIn',
  'signInWithPasskey',
  'beginPasskey',
  'addPasskey',
  'renamePasskey',
  'removePasskey',
  // The second factor needs a passkey, too.
  'askSecondFactor',
  'confirmSecondFactor',
  'beginSecondFactorSignIn',
  'beginSecondFactor',
  'switchSecondFactorOn',
  'switchSecondFactorOff',
  'makeRecoveryCodes',
  'setSecondFactorRule',
  'deleteWorkspace',
  'chooseUsername',
  'leaveTeam',
  'makeAccessToken',
  'decideSecretGrant',
  'pollDeviceLogin',
  'enrolAgent',
  'showDevice',
  'decideDevice',
  'signInForDevice',
  'showConsent',
  'decideConsent',
  'exchangeToken',
  'revokeToken',
  'registerClient',
];
