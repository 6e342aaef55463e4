import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionOf, readDefinition } from '@svc/core/protocol/definition';
import type { HubFrameOf } from '@svc/core/protocol/frame';
import type { ConnectAgentOptions } from './connect.ts';
import { hashOf } from './link/definitions.ts';
import { AgentWorld } from './link/fixtures/agent-world.ts';
import { type Recorded, ScriptedHub } from './link/fixtures/scripted-hub.ts';

setDefaultTimeout(60_000);

const HELLO = { name: 'hello', command: 'echo hello {{who}}', args: [{ name: 'who', default: 'world' }] };

type Endpoints = Parameters<typeof AgentWorld.make>[0];

/** A hub with a connected agent. */
async function connectedWorld(endpoints: Endpoints, options: Partial<ConnectAgentOptions> = {}) {
  const hub = new ScriptedHub();
  const world = await AgentWorld.make(endpoints);
  await world.connect(hub.url, options);
  await world.until(() => world.eventsOf('connected')[0]);
  return {
    hub,
    world,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
    },
  };
}

/** Runs one endpoint to its end. */
async function outcome(
  endpoint: Endpoints[number],
  order: Partial<HubFrameOf<'run'>> = {},
  options: Partial<ConnectAgentOptions> = {},
): Promise<Recorded> {
  await using connected = await connectedWorld([endpoint], options);
  const record = await connected.hub.ended(connected.hub.run(endpoint.name, order));
  expect(connected.hub.violations).toEqual([]);
  return record;
}

/** An order with its definition, as for an endpoint from the API. */
function whole(definition: Record<string, unknown>): Partial<HubFrameOf<'run'>> {
  return { definition, hash: hashOf(definition) };
}

describe('an agent', () => {
  test('announces itself and its endpoints, and gets their URLs', async () => {
    await using connected = await connectedWorld([HELLO], { name: 'build-1' });
    const { hub, world } = connected;
    expect(hub.hellos[0]).toMatchObject({
      agent: 'build-1',
      local_only: false,
      in_flight: [],
      protocol: { min: 1, max: 1 },
    });
    expect(hub.announced).toMatchObject([
      { name: 'hello', definition: { name: 'hello', command: HELLO.command } },
    ]);
    expect(hub.announced.map(({ definition, hash }) => hashOf(definition) === hash)).toEqual([true]);
    expect(hub.tokens).toEqual(['Bearer svc_at_test']);
    expect(world.eventsOf('connected')[0]?.registered).toEqual([
      { name: 'hello', url: `${hub.url.href}v1/ada/hello` },
    ]);
  });

  test('reaches a hub below a path', async () => {
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([HELLO]);
    const paths: string[] = [];
    hub.refuseUpgrade = (request) => {
      paths.push(new URL(request.url).pathname);
      hub.changed();
      return new Response(null, { status: 404 });
    };
    await world.connect(new URL('below/it/', hub.url));
    expect(await hub.until(() => paths[0])).toBe('/below/it/agents/connect');
  });
});

describe('an order', () => {
  test('runs the endpoint with its values, and sends output and ending', async () => {
    const record = await outcome(HELLO, { args: { who: 'Ada' } });
    expect(record.output).toBe('hello Ada\n');
    expect(record.ending).toMatchObject({ kind: 'exited', exit_code: 0 });
    expect(record.ends).toHaveLength(1);
  });

  test.each([
    ['exit 3', 'exited', { exit_code: 3 }],
    ['kill -9 $$', 'exited', { exit_code: 137 }],
    ['no-such-program', 'not_started', { reason: 'not_found' }],
  ])('%s: %s', async (command, kind, more) => {
    expect((await outcome({ name: 'x', command })).ending).toMatchObject({ kind, ...more });
  });

  test('sends output byte for byte, whatever its line ends', async () => {
    const record = await outcome({
      name: 'x',
      command: 'printf "a\\r\\nb\\n\\r\\n\\001\\n€\\377"; printf "%0200000d" 0',
    });
    expect(record.output).toBe(`a\r\nb\n\r\n\u0001\n€\ufffd${'0'.repeat(200_000)}`);
  });

  test('sends the result of a transform, also if it is longer than a frame', async () => {
    const lines = Array.from({ length: 40_000 }, (_, n) => `line ${n}`);
    const record = await outcome({
      name: 'x',
      command: `i=0; while [ $i -lt 40000 ]; do echo "line $i"; i=$((i+1)); done`,
      transform: { parse: 'lines' },
    });
    expect(record.ending).toMatchObject({ kind: 'exited', transformed: { kind: 'data' } });
    expect(JSON.parse(record.result)).toEqual(lines);
    expect(record.frames.filter(({ kind }) => kind === 'result').length).toBeGreaterThan(1);
    expect(record.output).toBe('');
  });

  test('reports why a transform failed, and sends no output', async () => {
    const record = await outcome({ name: 'x', command: 'echo no json', transform: { parse: 'json' } });
    expect(record.ending).toMatchObject({
      transformed: { kind: 'failed', reason: expect.stringMatching(/json/i) },
    });
    expect(record.frames).toEqual([]);
  });

  test('ends at the timeout of the definition or of the order', async () => {
    const endpoint = { name: 'x', command: 'echo begun; sleep 60', timeout: 60 };
    const record = await outcome(endpoint, { timeout: 3 });
    expect(record.ending).toMatchObject({ kind: 'timed_out', duration_ms: expect.any(Number) });
    expect(record.output).toBe('begun\n');
  });

  test('is cancelled by the hub', async () => {
    await using connected = await connectedWorld([{ name: 'x', command: 'echo begun; sleep 60' }]);
    const { hub } = connected;
    const id = hub.run('x');
    await hub.until(() => hub.record(id).output === 'begun\n');
    hub.send({ type: 'cancel', execution_id: id });
    expect((await hub.ended(id)).ending).toMatchObject({ kind: 'cancelled' });
  });

  test('that arrives twice starts once, and its ending is sent again', async () => {
    await using connected = await connectedWorld([{ name: 'x', command: 'echo ran >> ran; echo out' }]);
    const { hub, world } = connected;
    hub.acknowledgesEnds = false;
    const id = hub.run('x');
    hub.run('x', { execution_id: id });
    await hub.ended(id);
    hub.run('x', { execution_id: id });
    await hub.until(() => hub.record(id).ends.length === 2);
    hub.send({ type: 'ended_ack', execution_id: id });
    hub.run('x', { execution_id: id });
    // Orders are handled in sequence, so once this one has ended the one before was handled.
    hub.acknowledgesEnds = true;
    await hub.ended(hub.run('x'));
    expect(hub.record(id).ends).toHaveLength(2);
    expect(hub.record(id).output).toBe('out\n');
    expect(readFileSync(join(world.folder, 'ran'), 'utf8')).toBe('ran\nran\n');
  });

  test('runs in the folder of the file, in the environment of the agent without SVC_*', async () => {
    const endpoint = {
      name: 'x',
      command: 'pwd; cd sub && pwd; env | grep -E "^(SVC_|MINE|MORE)" | sort',
      args: [{ name: 'a-b', default: '1' }],
      env: { MINE: 'x' },
      accepts_env: ['MINE'],
    };
    await using connected = await connectedWorld([endpoint], {
      environment: { ...process.env, SVC_TOKEN: 'svc_at_test', MORE: 'of the agent' },
    });
    const { hub, world } = connected;
    await Bun.write(join(world.folder, 'sub', 'x'), '');
    const id = hub.run('x', { env: { MINE: 'y' } });
    const { output } = await hub.ended(id);
    expect(output.split('\n')).toEqual([
      world.folder,
      join(world.folder, 'sub'),
      'MINE=y',
      'MORE=of the agent',
      'SVC_ARG_A_B=1',
      'SVC_ENDPOINT=x',
      `SVC_EXECUTION_ID=${id}`,
      '',
    ]);
  });

  test('masks secrets, secret arguments and the values that the hub names before anything is sent', async () => {
    const endpoint = {
      name: 'x',
      command: 'echo "$svc:KEY" "$SVC_ARG_PIN" other; printf "%s" "$svc:KEY" | base64',
      args: [{ name: 'pin', secret: true }],
    };
    const order = { args: { pin: 'p1n5' }, secrets: { KEY: 'hunter2!' }, mask: ['other'] };
    const record = await outcome(endpoint, order);
    expect(record.output).toBe('*** *** ***\n***\n');
    const wire = record.frames.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
    expect(wire).not.toContain('hunter2');
  });
});

describe('an order is refused, and nothing runs', () => {
  const own = definitionOf(endpointOf({ name: 'hello', command: 'echo changed' }));
  const refusedWith = async (order: Partial<HubFrameOf<'run'>>, options: Partial<ConnectAgentOptions> = {}) =>
    (await outcome({ ...HELLO, command: `${HELLO.command}; touch ran` }, order, options)).ending;

  test('for a definition that is not in the file', async () => {
    expect(await refusedWith({ hash: hashOf(own) })).toEqual({
      kind: 'refused',
      reason: 'unknown_definition',
      code: 'agent_refused',
      message: 'the agent does not have this definition of "hello" any more',
    });
  });

  test('for the definition of another endpoint', async () => {
    await using connected = await connectedWorld([HELLO, { name: 'other', command: 'echo other' }]);
    const { hub } = connected;
    const hash = hub.announced.find(({ name }) => name === 'other')?.hash ?? '';
    const record = await hub.ended(hub.run('hello', { hash }));
    expect(record.ending).toMatchObject({ kind: 'refused', reason: 'unknown_definition' });
  });

  test('for values that do not fit', async () => {
    expect(await refusedWith({ args: { whom: 'x' } })).toMatchObject({
      reason: 'bad_values',
      code: 'invalid_argument',
      message: expect.stringContaining('did you mean "who"?'),
    });
  });

  test('for a secret that the hub did not send', async () => {
    const record = await outcome({ name: 'x', command: 'echo $svc:KEY | cat' });
    expect(record.ending).toMatchObject({ reason: 'bad_values', code: 'secret_not_set' });
  });

  test.each(['PATH', 'LD_PRELOAD', 'SVC_TOKEN', 'A B', ''])('for the variable %j', async (name) => {
    expect(await refusedWith({ env: { [name]: 'x' } })).toMatchObject({ reason: 'bad_values' });
  });

  test('for an invalid definition, or one with another hash', async () => {
    expect(await refusedWith(whole({ name: 'x', command: 'echo `id' }))).toMatchObject({
      reason: 'bad_definition',
    });
    expect(await refusedWith({ ...whole(own), hash: 'a'.repeat(64) })).toMatchObject({
      reason: 'bad_definition',
      message: expect.stringContaining('hash'),
    });
  });
});

describe('a definition that comes with its order', () => {
  const definition = { name: 'api', command: 'echo from the api; pwd' };

  test('runs, in the folder of the file', async () => {
    await using connected = await connectedWorld([HELLO]);
    const { hub, world } = connected;
    for (let n = 0; n < 2; n += 1) {
      const record = await hub.ended(hub.run('api', whole(definition)));
      expect(record.output).toBe(`from the api\n${world.folder}\n`);
    }
  });

  test('is refused by an agent with --local-only', async () => {
    const record = await outcome(HELLO, whole(definition), { localOnly: true });
    expect(record.ending).toMatchObject({ kind: 'refused', reason: 'local_only', code: 'agent_refused' });
  });
});

describe('a variable of an order', () => {
  const endpoint = { name: 'x', command: 'echo $MINE', env: { MINE: 'x', OURS: 'x' }, accepts_env: ['MINE'] };

  test('overrides env if the endpoint accepts it', async () => {
    expect((await outcome(endpoint)).output).toBe('x\n');
    expect((await outcome(endpoint, { env: { MINE: 'y' } })).output).toBe('y\n');
  });

  test.each(['OURS', 'OTHER', 'toString'])(
    'is refused if the endpoint does not accept it: %s',
    async (name) => {
      for (const localOnly of [true, false])
        expect((await outcome(endpoint, { env: { [name]: 'y' } }, { localOnly })).ending).toMatchObject({
          reason: 'bad_values',
          code: 'invalid_argument',
        });
    },
  );
});

function endpointOf(definition: Record<string, unknown>) {
  const read = readDefinition(definition);
  if (read.kind === 'problems') throw new Error(read.problems.join('\n'));
  return read.endpoint;
}
