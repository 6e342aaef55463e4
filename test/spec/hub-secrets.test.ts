// Managed secrets and `$svc:NAME`, from the API to the command: decision 12, the environment of a command, and decision 13,
// managed secrets.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { untilExists } from '../files.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

const VALUE = 'żółw "quoted" & 100% \\ horse';
const ENDPOINTS = [
  { name: 'argv', command: 'printf %s $svc:TOKEN' },
  { name: 'shell', command: 'test "$svc:TOKEN" = "$EXPECTED" && echo same; env | grep -c SVC_SECRET_' },
  { name: 'two', command: 'printf "%s %s" $svc:TOKEN $svc:OTHER' },
  { name: 'none', command: 'true' },
];

let world: HubWorld;
let folder: TemporaryFolder;
let agents: ReturnType<typeof startSvc>[];
beforeEach(async () => {
  agents = [];
  folder = await temporaryFolder();
  world = await hubWorld();
});
afterEach(async () => {
  for (const agent of agents) agent.kill('SIGKILL');
  await Promise.all(agents.map(({ exited }) => exited));
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const path = (name: string) => join(folder.path, name);
const put = (name: string, body: object) =>
  world.manage(`/secrets/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const remove = (name: string) => world.manage(`/secrets/${name}`, { method: 'DELETE' });
const list = async () => ((await (await world.manage('/secrets')).json()) as { items: object[] }).items;
const called = async (slug: string) => {
  const response = await world.call(slug);
  const body = (await response.json()) as Record<string, unknown>;
  return { ...body, status: response.status };
};

/** A process of `svc agent` with the endpoints. */
async function realAgent(endpoints: readonly object[] = ENDPOINTS): Promise<Lines> {
  await Bun.write(path('svc.yaml'), configText(endpoints as typeof ENDPOINTS));
  const agent = startSvc(['agent', '--json', '--state-dir', path('state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: world.start.agentToken, SVC_BASE_URL: world.hub.localUrl, EXPECTED: VALUE },
  });
  agents.push(agent);
  const lines = new Lines(agent.stdout);
  await lines.find(/"event":"connected"/);
  return lines;
}

describe('the API', () => {
  test('lists what was set, never with a value, and deletes it', async () => {
    expect((await put('TOKEN', { value: VALUE, agents: ['build'] })).status).toBe(204);
    expect((await put('OTHER', { value: 'x' })).status).toBe(204);
    expect(await list()).toEqual([
      expect.objectContaining({ name: 'OTHER', agents: null }),
      {
        name: 'TOKEN',
        agents: ['build'],
        key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        updated_by: expect.any(String),
      },
    ]);
    expect((await remove('TOKEN')).status).toBe(204);
    expect((await remove('TOKEN')).status).toBe(404);
    expect(await list()).toHaveLength(1);
  });

  test('a value that is set again takes the place of the old one, which keeps when it was made', async () => {
    await put('TOKEN', { value: 'old', agents: ['build'] });
    const [before] = (await list()) as { created_at: string; updated_at: string }[];
    world.clock.move(60_000);
    await put('TOKEN', { value: 'new' });
    const [after] = (await list()) as { created_at: string; updated_at: string }[];
    expect(after).toMatchObject({ agents: null, created_at: before?.created_at });
    expect(Date.parse(after?.updated_at ?? '') - Date.parse(before?.updated_at ?? '')).toBe(60_000);
    const agent = await world.agent({ endpoints: ENDPOINTS });
    void world.call('argv').catch(() => undefined);
    expect(await agent.receive('run')).toMatchObject({ secrets: { TOKEN: 'new' } });
  });

  test.each(['1A', 'a-b', 'PATH', 'SVC_TOKEN', 'LD_PRELOAD', 'x'.repeat(65)])(
    'refuses the name %p',
    async (name) => {
      expect(await (await put(name, { value: 'x' })).json()).toMatchObject({ code: 'invalid_argument' });
    },
  );

  test.each([
    ['no value', {}],
    ['an empty value', { value: '' }],
    ['a NUL', { value: 'a\0b' }],
    ['a value that is too long', { value: 'x'.repeat(65_537) }],
    ['no agents at all', { value: 'x', agents: [] }],
    ['an agent that cannot be', { value: 'x', agents: ['a b'] }],
  ])('refuses %s', async (_what, body) => {
    expect((await put('TOKEN', body)).status).toBe(400);
    expect(await list()).toEqual([]);
  });
});

describe('a call', () => {
  test('sends the secrets that its command names, and no others', async () => {
    for (const name of ['TOKEN', 'OTHER', 'UNUSED']) await put(name, { value: `of ${name}` });
    const agent = await world.agent({ endpoints: ENDPOINTS });
    for (const [slug, secrets] of [
      ['two', { TOKEN: 'of TOKEN', OTHER: 'of OTHER' }],
      ['none', {}],
    ] as const) {
      void world.call(slug).catch(() => undefined);
      expect(await agent.receive('run', ({ endpoint }) => endpoint === slug)).toMatchObject({ secrets });
    }
  });

  test('is refused before anything runs when a secret is not set, with all that are missing', async () => {
    const agent = await world.agent({ endpoints: ENDPOINTS });
    expect(await called('two')).toMatchObject({
      status: 409,
      code: 'secret_not_set',
      details: { secrets: ['OTHER', 'TOKEN'] },
    });
    expect(agent.unread('run')).toBe(0);
    expect(await (await world.manage('/executions')).json()).toMatchObject({ items: [] });
  });

  test('is refused when a secret is for other agents than the one that would run it', async () => {
    await put('TOKEN', { value: VALUE, agents: ['build', 'backup'] });
    const agent = await world.agent({ endpoints: ENDPOINTS });
    expect(await called('argv')).toMatchObject({
      status: 403,
      code: 'secret_not_allowed',
      details: { secret: 'TOKEN', agent: 'default' },
    });
    expect(agent.unread('run')).toBe(0);
    await put('TOKEN', { value: VALUE, agents: ['build', 'default'] });
    void world.call('argv').catch(() => undefined);
    expect(await agent.receive('run')).toMatchObject({ secrets: { TOKEN: VALUE } });
  });
});

test('an agent that connects gets the secrets that its commands lack', async () => {
  await put('TOKEN', { value: VALUE, agents: ['build'] });
  const { welcome } = await world.agent({ endpoints: ENDPOINTS });
  expect(welcome.warnings).toEqual([
    '"argv" names the secret "TOKEN", which is not for the agent "default"',
    '"shell" names the secret "TOKEN", which is not for the agent "default"',
    '"two" names the secret "OTHER", which is not set',
    '"two" names the secret "TOKEN", which is not for the agent "default"',
  ]);
  await put('TOKEN', { value: VALUE });
  await put('OTHER', { value: VALUE });
  expect((await world.agent({ endpoints: ENDPOINTS })).welcome.warnings).toEqual([]);
});

test('an endpoint of the API has the secrets that the version names which was called, though it was changed since', async () => {
  await put('TOKEN', { value: VALUE });
  await put('OTHER', { value: 'other' });
  const send = (method: string, where: string, body: object) =>
    world.manage(where, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await send('POST', '/endpoints', { slug: 'made', command: 'echo $svc:TOKEN' })).status).toBe(201);
  const agent = await world.agent({ endpoints: ENDPOINTS });
  const accepted = await world.call('made', { headers: { prefer: 'respond-async' } });
  const { execution_id } = (await accepted.json()) as { execution_id: string };
  expect((await send('PATCH', '/endpoints/made', { command: 'echo $svc:OTHER' })).status).toBe(200);
  await agent.vanish();
  const back = await world.agent({ endpoints: ENDPOINTS });
  expect(await back.receive('run')).toMatchObject({
    execution_id,
    definition: { command: 'echo $svc:TOKEN' },
    secrets: { TOKEN: VALUE },
  });
  void world.call('made').catch(() => undefined);
  expect(await back.receive('run')).toMatchObject({ secrets: { OTHER: 'other' } });
});

describe('an order that never arrived', () => {
  const started = async () => {
    const response = await world.call('argv', { headers: { prefer: 'respond-async' } });
    return ((await response.json()) as { execution_id: string }).execution_id;
  };
  const state = async (id: string) =>
    (await (await world.manage(`/executions/${id}`)).json()) as Record<string, unknown>;

  test.each(['the hub was restarted', 'the connection broke'])(
    'is sent again with the current secret, when %s',
    async (what) => {
      await put('TOKEN', { value: 'old' });
      const agent = await world.agent({ endpoints: ENDPOINTS });
      const id = await started();
      await put('TOKEN', { value: 'new' });
      if (what.includes('hub')) await world.restart();
      else await agent.vanish();
      const back = await world.agent({ endpoints: ENDPOINTS });
      expect(await back.receive('run')).toMatchObject({ execution_id: id, secrets: { TOKEN: 'new' } });
    },
  );

  test.each([
    ['was deleted', () => remove('TOKEN'), 'secret_not_set'],
    ['is for other agents now', () => put('TOKEN', { value: 'x', agents: ['build'] }), 'secret_not_allowed'],
  ])(
    'is refused when its secret %s meanwhile, and its agent is as welcome as ever',
    async (_, change, code) => {
      await put('TOKEN', { value: VALUE });
      const agent = await world.agent({ endpoints: ENDPOINTS });
      const id = await started();
      await change();
      await agent.vanish();
      const back = await world.agent({ endpoints: ENDPOINTS });
      expect(back.unread('run')).toBe(0);
      const stream = await (await world.manage(`/executions/${id}/stream`)).text();
      expect(stream).toContain('"type":"error"');
      expect(await state(id)).toMatchObject({ status: 'rejected', reason: 'refused', code });
    },
  );

  test('is refused when the hub has another master key, and its agent is as welcome as ever', async () => {
    await put('TOKEN', { value: VALUE });
    await world.agent({ endpoints: ENDPOINTS });
    const id = await started();
    await world.restart(async () => {
      await Bun.write(join(world.dataDir, 'master.key'), `${'5'.repeat(64)}\n`);
    });
    const back = await world.agent({ endpoints: ENDPOINTS });
    expect(back.unread('run')).toBe(0);
    expect(await called('argv')).toMatchObject({ status: 409, code: 'secret_not_set' });
    expect(await (await world.manage(`/executions/${id}/stream`)).text()).toContain('set it again');
  });
});

describe('a real agent', () => {
  test('gives a command its secret, as a word or in the environment, and masks it', async () => {
    await put('TOKEN', { value: VALUE });
    await realAgent();
    expect(await called('argv')).toMatchObject({ status: 200, output: '***', exit_code: 0 });
    expect(await called('shell')).toMatchObject({ status: 200, output: 'same\n1\n' });
  });

  test('masks a secret in base64, in a URL and in JSON, however it is cut', async () => {
    await put('TOKEN', { value: VALUE });
    const spellings = [
      VALUE,
      Buffer.from(VALUE).toString('base64'),
      encodeURIComponent(VALUE),
      JSON.stringify(VALUE).slice(1, -1),
    ];
    // Each byte by itself, so that it is read in any number of pieces.
    const printing = spellings.map((text, index) => {
      const octal = [...Buffer.from(text)].map((byte) => `\\0${byte.toString(8)}`);
      return `printf 'at ${index}: '; for b in ${octal.map((one) => `'${one}'`).join(' ')}; do printf '%b' "$b"; done; echo`;
    });
    await realAgent([{ name: 'leaky', command: `: "$svc:TOKEN"; ${printing.join('; ')}` }]);
    const output = spellings.map((_, index) => `at ${index}: ***\n`).join('');
    expect(await called('leaky')).toMatchObject({ status: 200, output });
  });

  test('has none in the files of its state while a command that has one runs', async () => {
    await put('TOKEN', { value: VALUE });
    await realAgent([
      {
        name: 'slow',
        command: ': "$svc:TOKEN"; touch begun; while [ ! -e go ]; do sleep 0.02; done; echo over',
      },
    ]);
    const answer = called('slow');
    await untilExists(path('begun'));
    const found = await filesWith(path('state'), VALUE);
    await Bun.write(path('go'), '');
    expect([found, await answer]).toMatchObject([[], { status: 200, output: 'over\n' }]);
  });
});

/** The files under a folder that hold a text, or its base64. */
async function filesWith(where: string, text: string): Promise<string[]> {
  const base64 = Buffer.from(text).toString('base64').slice(0, -3);
  const found: string[] = [];
  for await (const name of new Bun.Glob('**/*').scan({ cwd: where, dot: true })) {
    const bytes = Buffer.from(await Bun.file(join(where, name)).arrayBuffer());
    if (bytes.includes(text) || bytes.includes(base64)) found.push(name);
  }
  return found;
}
