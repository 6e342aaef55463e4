// Definitions of pipelines over HTTP and from files: reference 2.5, decisions 2, 31, 33, 40, 42 and 43.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { announcements, pipelineAnnouncements } from '../scripted-agent.ts';

let world: HubWorld;

/** For tests that make or change something. */
function eachWithItsOwnHub(): void {
  beforeEach(async () => {
    world = await hubWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());
}

type Body = Record<string, unknown>;

interface ParsedAnswer {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

async function ask(method: string, path: string, body?: object, headers: object = {}): Promise<ParsedAnswer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await world.manage(path, {
    method,
    ...sent,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as Body),
    headers: response.headers,
  };
}

const create = (body: object) => ask('POST', '/pipelines', body);
const show = (slug: string) => ask('GET', `/pipelines/${slug}`);
const change = (slug: string, body: object, headers?: object) =>
  ask('PATCH', `/pipelines/${slug}`, body, headers);
const outcome = ({ status, body }: ParsedAnswer) => [status, body.code];

interface Field {
  readonly field: string;
  readonly message: string;
  readonly offset?: number;
}

/** The reasons of a refused definition; the same from the check that saves nothing. */
async function fieldsOf(received: ParsedAnswer): Promise<readonly Field[]> {
  expect(outcome(received)).toEqual([400, 'invalid_argument']);
  return (received.body.details as { fields: Field[] }).fields;
}

async function makeEndpoints(): Promise<void> {
  const build = { slug: 'build', command: './build.sh {{ref}}', args: [{ name: 'ref', required: true }] };
  const made = [await ask('POST', '/endpoints', build)];
  made.push(await ask('POST', '/endpoints', { slug: 'notify', command: 'true', args: [{ name: 'text' }] }));
  expect(made.map(({ status }) => status)).toEqual([201, 201]);
}

async function auditActions(): Promise<string[]> {
  const { items } = (await ask('GET', '/audit')).body as { items: { action: string }[] };
  return items.map(({ action }) => action);
}

const BUILD = { id: 'build', kind: 'step', endpoint: 'build', args: { ref: '{input.ref}' } };
const MAIN = { id: 'main', kind: 'condition', expression: '{input.ref} == "main"' };
const RELEASE = {
  slug: 'release',
  trigger: { type: 'webhook', input_schema: [{ name: 'ref', type: 'string', required: true }] },
  nodes: [MAIN, BUILD, { id: 'tell', endpoint: 'notify', args: { text: 'built {steps.build.output}' } }],
  edges: [
    { from: 'trigger', to: 'main' },
    { from: 'main', to: 'build', when: true },
    { from: 'build', to: 'tell' },
  ],
};

describe('a pipeline of the API', () => {
  eachWithItsOwnHub();

  test('is made, shown whole, listed, and can be sent again as it was shown', async () => {
    await makeEndpoints();
    const made = await create({ ...RELEASE, description: 'Builds it' });
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"']);
    expect(made.headers.get('location')).toBe(`${world.hub.hubUrl}/pipelines/release`);
    expect(made.body).toMatchObject({
      slug: 'release',
      name: 'release',
      url: world.urlOf('release'),
      source: 'api',
      agent_name: null,
      version: 1,
      created_at: '2026-11-20T12:00:00.000Z',
      description: 'Builds it',
      trigger: {
        type: 'webhook',
        public: false,
        input_schema: [{ name: 'ref', type: 'string', required: true }],
      },
      nodes: [
        MAIN,
        { ...BUILD, env: {}, on_failure: 'stop' },
        { id: 'tell', kind: 'step', endpoint: 'notify', env: {}, on_failure: 'stop' },
      ],
      edges: RELEASE.edges,
      has_secret: false,
      problems: [],
    });
    expect((await show('release')).body).toEqual(made.body);
    const { items } = (await ask('GET', '/pipelines')).body as { items: Body[] };
    expect(items).toMatchObject([{ slug: 'release', node_count: 3, version: 1, problems: [] }]);
    expect(items[0]).not.toHaveProperty('nodes');
    const { trigger, nodes, edges } = made.body;
    const again = await create({ name: 'again', tags: ['weekly'], trigger, nodes, edges });
    expect([again.status, again.body.nodes, again.body.edges]).toEqual([201, nodes, edges]);
    const slugs = async (tag: string) =>
      ((await ask('GET', `/pipelines?tag=${tag}`)).body as { items: Body[] }).items.map(({ slug }) => slug);
    expect([await slugs('weekly'), await slugs('week')]).toEqual([['again'], []]);
    expect(await auditActions()).toContain('pipeline.created');
  });

  test('has a slug that no endpoint of the workspace has, also for requests at the same moment', async () => {
    await makeEndpoints();
    expect(outcome(await create({ ...RELEASE, slug: 'build' }))).toEqual([409, 'slug_taken']);
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        n % 2 === 0
          ? create({ ...RELEASE, slug: 'one' })
          : ask('POST', '/endpoints', { slug: 'one', command: 'true' }),
      ),
    );
    expect(all.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    expect(all.find(({ status }) => status === 409)?.body.code).toBe('slug_taken');
    await create(RELEASE);
    expect(outcome(await change('release', { slug: 'build' }))).toEqual([409, 'slug_taken']);
    expect(outcome(await ask('PATCH', '/endpoints/build', { slug: 'release' }))).toEqual([409, 'slug_taken']);
  });

  test('keeps its secret, and shows only that there is one', async () => {
    await makeEndpoints();
    const secret = 'a-secret-that-nobody-may-see';
    const trigger = { ...RELEASE.trigger, secret };
    const made = await create({ ...RELEASE, trigger });
    expect([made.status, made.body.has_secret]).toEqual([201, true]);
    const shown = [
      made,
      await show('release'),
      await ask('GET', '/pipelines'),
      await ask('GET', '/pipelines/release/versions/1'),
      await ask('GET', '/audit'),
      await change('release', { trigger: { public: true } }),
    ];
    expect(JSON.stringify(shown.map(({ body }) => body))).not.toContain(secret);
    expect(world.logLines.join('')).not.toContain(secret);
    expect((await show('release')).body).toMatchObject({ has_secret: true, trigger: { public: true } });
    expect((await change('release', { trigger: { secret: null } })).body).toMatchObject({
      has_secret: false,
    });
    expect(
      await fieldsOf(await create({ ...RELEASE, slug: 'x', trigger: { ...trigger, secret: 77123 } })),
    ).toEqual([{ field: 'trigger.secret', message: 'a text that is not empty expected' }]);
  });

  test('takes a managed secret by its name, and reports a missing one', async () => {
    await makeEndpoints();
    const made = await create({ ...RELEASE, trigger: { ...RELEASE.trigger, secret: '$svc:HOOK' } });
    expect(made.body).toMatchObject({
      has_secret: true,
      trigger: { secret: '$svc:HOOK' },
      problems: [{ path: 'trigger.secret', message: 'the secret "HOOK" is not set' }],
    });
    await ask('PUT', '/secrets/HOOK', { value: 's3cret' });
    expect((await show('release')).body.problems).toEqual([]);
    const other = await change('release', { trigger: { secret: '$svc:PATH' } });
    expect(await fieldsOf(other)).toMatchObject([{ field: 'trigger.secret' }]);
  });

  test('is changed field by field, each time as a new version that stays readable', async () => {
    await makeEndpoints();
    await create(RELEASE);
    world.clock.move(1_000);
    const nodes = [BUILD, { id: 'tell', endpoint: 'notify', needs: ['build'] }];
    const changed = await change('release', { nodes, trigger: { public: true } });
    expect(changed.body).toMatchObject({
      version: 2,
      updated_at: '2026-11-20T12:00:01.000Z',
      trigger: { type: 'webhook', public: true, input_schema: [{ name: 'ref' }] },
      edges: [
        { from: 'trigger', to: 'build' },
        { from: 'build', to: 'tell' },
      ],
    });
    expect((await change('release', { trigger: { public: true } })).body.version).toBe(2);
    expect((await change('release', { description: 'x' })).body.version).toBe(3);
    expect((await change('release', { description: null, name: 'deliver' })).body).toMatchObject({
      version: 4,
      slug: 'deliver',
      description: null,
    });
    const { items } = (await ask('GET', '/pipelines/deliver/versions?limit=3')).body as { items: Body[] };
    expect(items.map(({ version }) => version)).toEqual([4, 3, 2]);
    const first = await ask('GET', '/pipelines/deliver/versions/1');
    expect(first.body).toMatchObject({ version: 1, source: 'api', definition: { slug: 'release' } });
    expect((await create({ ...(first.body.definition as object), slug: 'back' })).status).toBe(201);
    for (const version of ['5', '0', '01', 'x'])
      expect((await ask('GET', `/pipelines/deliver/versions/${version}`)).status).toBe(404);
  });

  test('is changed only as it was seen', async () => {
    await makeEndpoints();
    await create(RELEASE);
    expect(outcome(await change('release', { description: 'x', version: 2 }))).toEqual([
      409,
      'version_conflict',
    ]);
    const stale = await change('release', { description: 'x' }, { 'if-match': '"2"' });
    expect(outcome(stale)).toEqual([412, 'precondition_failed']);
    expect(outcome(await ask('DELETE', '/pipelines/release', undefined, { 'if-match': '"9"' }))).toEqual([
      412,
      'precondition_failed',
    ]);
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, n) => change('release', { description: `d${n}` })),
    );
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await show('release')).body.version).toBe(7);
    expect((await ask('DELETE', '/pipelines/release', undefined, { 'if-match': '"7"' })).status).toBe(204);
    expect((await show('release')).status).toBe(404);
    expect((await create(RELEASE)).status).toBe(201);
  });

  test('shows what has changed around it, and an endpoint that it needs can go', async () => {
    await makeEndpoints();
    await create(RELEASE);
    expect((await ask('DELETE', '/endpoints/notify')).status).toBe(204);
    const problems = [
      { path: 'nodes[2].endpoint', message: expect.stringContaining('no endpoint "notify"') },
    ];
    expect((await show('release')).body.problems).toEqual(problems);
    await ask('POST', '/endpoints', { slug: 'notify', command: 'true', args: [{ name: 'words' }] });
    expect((await show('release')).body.problems).toMatchObject([
      { path: 'nodes[2].args.text', message: expect.stringContaining('no argument "text"') },
    ]);
    const renamed = { nodes: [MAIN, BUILD, { ...RELEASE.nodes[2], args: { words: 'x' } }] };
    expect((await change('release', renamed)).body).toMatchObject({ version: 2, problems: [] });
  });
});

describe('a pipeline that is called', () => {
  eachWithItsOwnHub();

  test('is started as it is stored, from its next call on', async () => {
    await makeEndpoints();
    const start = async (slug: string) => {
      const response = await fetch(world.urlOf(slug), {
        method: 'POST',
        headers: { prefer: 'respond-async' },
      });
      return [response.status, ((await response.json()) as Body).code];
    };
    await create({ slug: 'tell', nodes: [{ id: 'one', endpoint: 'notify' }] });
    expect(await start('tell')).toEqual([401, 'unauthorized']);
    await change('tell', { trigger: { public: true } });
    expect(await start('tell')).toEqual([202, undefined]);
    await ask('DELETE', '/endpoints/notify');
    expect(await start('tell')).toEqual([409, 'stale']);
    const { items } = (await ask('GET', '/pipeline-runs')).body as { items: Body[] };
    expect(items).toHaveLength(1);
    await change('tell', { slug: 'say', nodes: [{ id: 'one', endpoint: 'build', args: { ref: 'x' } }] });
    expect([await start('tell'), await start('say')]).toEqual([
      [401, 'unauthorized'],
      [202, undefined],
    ]);
    await ask('DELETE', '/pipelines/say');
    expect(await start('say')).toEqual([401, 'unauthorized']);
  });
});

const chain = (count: number) => ({
  slug: 'long',
  nodes: Array.from({ length: count }, (_, n) => ({ id: `n${n}`, endpoint: 'notify' })),
  edges: Array.from({ length: count }, (_, n) => ({ from: n === 0 ? 'trigger' : `n${n - 1}`, to: `n${n}` })),
});

describe('a definition that cannot be', () => {
  beforeAll(async () => {
    world = await hubWorld();
    await makeEndpoints();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const table: readonly [what: string, definition: Body, field: string, message: string][] = [
    [
      'with a circle',
      {
        nodes: [
          BUILD,
          { id: 'b', endpoint: 'notify', needs: ['c'] },
          { id: 'c', endpoint: 'notify', needs: ['b'] },
        ],
      },
      'nodes.1.needs.0',
      'the nodes wait for each other in a circle',
    ],
    [
      'with a node that nothing leads to',
      { nodes: [BUILD, { id: 'alone', endpoint: 'notify' }], edges: [{ from: 'trigger', to: 'build' }] },
      'nodes.1.id',
      'node "alone" is not reached',
    ],
    [
      'that calls an unknown endpoint',
      { nodes: [{ id: 'a', endpoint: 'biuld' }] },
      'nodes.0.endpoint',
      'did you mean "build"?',
    ],
    [
      'that gives an unknown argument',
      { nodes: [{ ...BUILD, args: { rev: 'x', ref: 'y' } }] },
      'nodes.0.args.rev',
      'endpoint "build" has no argument "rev"; did you mean "ref"?',
    ],
    [
      'that leaves out what an endpoint needs',
      { nodes: [{ id: 'a', endpoint: 'build' }] },
      'nodes.0.args',
      '"ref" is required',
    ],
    [
      'that refers to an unknown field',
      { nodes: [{ ...BUILD, args: { ref: '{input.raf}' } }] },
      'nodes.0.args.ref',
      'did you mean "ref"?',
    ],
    [
      'that refers to an unknown step',
      {
        nodes: [
          BUILD,
          { id: 'b', endpoint: 'notify', needs: ['build'], args: { text: '{steps.bild.output}' } },
        ],
      },
      'nodes.1.args.text',
      'did you mean "build"?',
    ],
    [
      'that refers to a step beside it',
      { nodes: [BUILD, { id: 'b', endpoint: 'notify', args: { text: '{steps.build.output}' } }] },
      'nodes.1.args.text',
      'does not run before "b"',
    ],
    [
      'for an agent that never was',
      { nodes: [{ ...BUILD, agent_name: 'defalt' }] },
      'nodes.0.agent_name',
      'there is no agent "defalt"; did you mean "default"?',
    ],
    [
      'with an unknown key',
      { nodes: [{ ...BUILD, on_failur: 'stop' }] },
      'nodes.0.on_failur',
      'did you mean "on_failure"?',
    ],
    ['without nodes', { nodes: [] }, 'nodes', 'at least one step expected'],
    ['with more nodes than there may be', chain(1_001), 'nodes', 'a list of at most 1000 nodes expected'],
  ];

  test.each(table)(
    '%s is refused with its place, and checked with the same words',
    async (_what, definition, field, message) => {
      const whole = { slug: 'bad', trigger: RELEASE.trigger, ...definition };
      const fields = await fieldsOf(await create(whole));
      expect(fields.find((one) => one.field === field)?.message ?? fields).toContain(message);
      const { status, body } = await ask('POST', '/pipelines/check', whole);
      expect([status, body.ok]).toEqual([200, false]);
      const findings = body.findings as { path: string; message: string }[];
      expect(findings.map((one) => one.message)).toEqual(fields.map((one) => one.message));
      expect((await show('bad')).status).toBe(404);
    },
  );

  test('has an unknown key reported first', async () => {
    for (const path of ['/pipelines', '/pipelines/check', '/pipelines/release']) {
      const received = await ask(path.endsWith('release') ? 'PATCH' : 'POST', path, {
        ...RELEASE,
        nodse: [],
      });
      expect(await fieldsOf(received)).toEqual([
        { field: 'nodse', message: 'there is no such field; did you mean "nodes"?' },
      ]);
    }
  });

  test('has all other issues reported at once', async () => {
    const nodes = [
      { ...BUILD, endpoint: 'x' },
      { ...MAIN, expression: '{input.ref} =' },
      { id: '1', endpoint: 'build' },
    ];
    const fields = await fieldsOf(
      await create({ slug: 'No', trigger: { type: 'webhok' }, nodes, edges: [] }),
    );
    expect(fields.map(({ field }) => field)).toEqual(
      expect.arrayContaining([
        'slug',
        'trigger.type',
        'nodes.0.endpoint',
        'nodes.1.expression',
        'nodes.2.id',
      ]),
    );
  });

  test('has the position in an expression reported, on any line', async () => {
    const expression = '{input.ref} ==\n  "main" &&\n  {input.raf}';
    const whole = {
      ...RELEASE,
      nodes: [{ ...MAIN, expression: `${expression} ==` }, ...RELEASE.nodes.slice(1)],
    };
    const fields = await fieldsOf(await create(whole));
    expect(fields).toMatchObject([{ field: 'nodes.0.expression', offset: expression.length + 3 }]);
    const checked = await ask('POST', '/pipelines/check', whole);
    expect(checked.body.findings).toMatchObject([
      { path: 'nodes[0].expression', position: { offset: expression.length + 3, line: 3, column: 17 } },
    ]);
  });

  test('is refused for its expression of 64 KB, and accepted with one as long as may be', async () => {
    const sized = (chars: number) => ({
      ...RELEASE,
      nodes: [
        { ...MAIN, expression: `{input.ref} == "${'x'.repeat(chars - '{input.ref} == ""'.length)}"` },
        ...RELEASE.nodes.slice(1),
      ],
    });
    const [field] = await fieldsOf(await create(sized(64 * 1024)));
    expect(field).toMatchObject({ field: 'nodes.0.expression', offset: 0 });
    expect(field?.message).toContain('at most 8192 characters expected, not 65536');
    expect((await create(sized(8_192))).status).toBe(201);
  });

  test('is accepted with a thousand nodes, and with five thousand edges', async () => {
    const made = await create(chain(1_000));
    expect([made.status, (made.body.nodes as unknown[]).length]).toEqual([201, 1_000]);
    expect((await show('long')).body.edges).toHaveLength(1_000);
    const { nodes, edges } = chain(1_000);
    const more = Array.from({ length: 4_000 }, (_, n) => ({
      from: `n${n % 800}`,
      to: `n${(n % 800) + 2 + Math.floor(n / 800)}`,
    }));
    const dense = await create({ slug: 'dense', nodes, edges: [...edges, ...more] });
    expect([dense.status, dense.body.error]).toEqual([201, undefined]);
  });

  test('is refused as a body when it is larger than a megabyte, or no JSON', async () => {
    const whole = { ...RELEASE, description: 'x'.repeat(1024 * 1024) };
    expect(outcome(await create(whole))).toEqual([413, 'payload_too_large']);
    const broken = await world.manage('/pipelines', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"slug": "a",}',
    });
    expect([broken.status, ((await broken.json()) as Body).code]).toEqual([400, 'invalid_json']);
    expect(outcome(await create([] as unknown as object))).toEqual([400, 'invalid_argument']);
  });
});

describe('pipelines of a file', () => {
  eachWithItsOwnHub();

  const deploy = { name: 'deploy', command: 'true', args: [{ name: 'to' }] };
  const ship = { name: 'ship', nodes: [{ id: 'one', endpoint: 'deploy', args: { to: 'here' } }] };

  test('are registered with its endpoints, and changed and removed with them', async () => {
    await using agent = await world.agent({ endpoints: [deploy], pipelines: [ship] });
    expect(agent.welcome.registered).toEqual([
      { name: 'deploy', url: world.urlOf('deploy') },
      { name: 'ship', url: world.urlOf('ship') },
    ]);
    expect([agent.welcome.refused, agent.welcome.warnings]).toEqual([[], []]);
    expect((await show('ship')).body).toMatchObject({
      source: 'config',
      agent_name: 'default',
      version: 1,
      nodes: [{ id: 'one', args: { to: 'here' } }],
      edges: [{ from: 'trigger', to: 'one' }],
      problems: [],
    });
    const next = { ...ship, description: 'Ships it' };
    const file = { endpoints: announcements([deploy]), pipelines: pipelineAnnouncements([next]) };
    agent.say({ type: 'config', revision: 2, ...file });
    await agent.receive('registered');
    expect((await show('ship')).body).toMatchObject({ version: 2, description: 'Ships it' });
    agent.say({ type: 'config', revision: 3, endpoints: announcements([deploy]) });
    await agent.receive('registered');
    expect((await show('ship')).status).toBe(404);
  });

  test('are changed and taken out there, and nowhere else', async () => {
    await using _agent = await world.agent({ endpoints: [deploy], pipelines: [ship] });
    for (const received of [
      await change('ship', { description: 'x' }),
      await change('ship', { trigger: { public: true } }),
      await ask('DELETE', '/pipelines/ship'),
    ]) {
      expect(outcome(received)).toEqual([409, 'managed_by_config']);
      expect(received.body.error).toContain('stands in the file of the agent "default"');
    }
    expect((await show('ship')).body.version).toBe(1);
  });

  test('do not take a slug that is taken, and keep the rest of the file registered', async () => {
    await makeEndpoints();
    const twin = { ...ship, name: 'build' };
    await using agent = await world.agent({ endpoints: [deploy], pipelines: [twin, ship] });
    expect(agent.welcome.refused).toEqual([
      { name: 'build', reason: '"build" was made through the API, and stays as it is there' },
    ]);
    expect(agent.welcome.registered.map(({ name }) => name)).toEqual(['deploy', 'ship']);
    expect(outcome(await ask('POST', '/endpoints', { slug: 'ship', command: 'true' }))).toEqual([
      409,
      'slug_taken',
    ]);
    await using other = await world.agent({
      name: 'other',
      instance: '22222222-2222-4222-8222-222222222222',
      endpoints: [{ ...deploy, name: 'ship' }],
    });
    expect(other.welcome.refused).toEqual([
      { name: 'ship', reason: '"ship" was registered first by the agent "default"' },
    ]);
  });

  test('may call later endpoints; until then the agent gets a warning, and the page shows it', async () => {
    const far = { name: 'far', nodes: [{ id: 'one', endpoint: 'elsewhere', agent_name: 'default' }] };
    await using agent = await world.agent({ endpoints: [deploy], pipelines: [far] });
    expect(agent.welcome.warnings).toEqual([
      expect.stringContaining(
        'pipeline "far" is not ready: nodes[0].endpoint: there is no endpoint "elsewhere"',
      ),
    ]);
    expect((await show('far')).body.problems).toHaveLength(1);
    await ask('POST', '/endpoints', { slug: 'elsewhere', command: 'true' });
    expect((await show('far')).body.problems).toEqual([]);
  });

  test('are signed only with a secret that is for their agent', async () => {
    const hook = { ...ship, trigger: { type: 'webhook', secret: '$svc:HOOK' } };
    await ask('PUT', '/secrets/HOOK', { value: 's3cret', agents: ['other'] });
    await using agent = await world.agent({ endpoints: [deploy], pipelines: [hook] });
    const problem = 'trigger.secret: the secret "HOOK" is not for the agent "default"';
    expect(agent.welcome.warnings).toEqual([`pipeline "ship" is not ready: ${problem}`]);
    const signature = createHmac('sha256', 's3cret').update('{}').digest('hex');
    const signed = () =>
      fetch(world.urlOf('ship'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
        body: '{}',
      });
    expect((await signed()).status).toBe(401);
    await ask('PUT', '/secrets/HOOK', { value: 's3cret', agents: ['default'] });
    expect((await show('ship')).body.problems).toEqual([]);
    expect((await signed()).status).toBe(202);
  });

  test('that no file could have are refused, whatever an agent sends', async () => {
    await using agent = await world.agent({ endpoints: [deploy] });
    const step = { id: 'one', kind: 'step', endpoint: 'deploy' };
    const pipelines = [
      { name: 'ring', definition: { slug: 'ring', nodes: [{ ...step, needs: ['one'] }] } },
      { name: 'other', definition: { slug: 'name', nodes: [step] } },
      {
        name: 'plain',
        definition: { slug: 'plain', trigger: { type: 'webhook', secret: 'x' }, nodes: [step] },
      },
      { name: 'good', definition: { slug: 'good', nodes: [step] } },
    ];
    agent.say({ type: 'config', revision: 2, endpoints: announcements([deploy]), pipelines });
    const { refused, registered } = await agent.receive('registered');
    expect(refused.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      expect.stringContaining('ring: nodes[0].needs[0]: the nodes wait for each other in a circle'),
      'other: the definition is of "name"',
      expect.stringContaining('plain: trigger.secret: a file is no place for a secret'),
    ]);
    expect(registered.map(({ name }) => name)).toEqual(['deploy', 'good']);
  });
});
