// An agent that says what it may not, or what is no frame, in every way: its own connection is closed, and nothing else
// changes (decision 28, the connection of an agent, and decision 32, commands of a file stay on the agent). What it is
// comes from its token alone.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { LIMITS } from '@svc/core/plan/limits';
import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { encodeOutputFrame } from '@svc/core/protocol/output-frame';
import fc from 'fast-check';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { EXITED, hello, outputFrame, ScriptedAgent } from '../scripted-agent.ts';

const ENDPOINTS = [{ name: 'job', command: 'true' }];
const JSON_TYPE = { 'content-type': 'application/json' };
const RUNS = process.env.SVC_TEST_LONG ? 2_000 : 100;

let world: HubWorld;
/** The honest one, in another workspace than the liar. */
let honest: ScriptedAgent;
let liarToken: string;
let liarUrl: string;
let liarKey: string;
beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  honest = await world.agent({ endpoints: ENDPOINTS });
  [liarToken, liarKey] = await strangersTokens();
  liarUrl = `${world.hub.baseUrl}/v1/mallory/job`;
});
afterAll(() => world[Symbol.asyncDispose]());

/** An agent token and a key of a second account. */
async function strangersTokens(): Promise<[agentToken: string, key: string]> {
  const send = async (path: string, body: unknown, token = '', method = 'POST') => {
    const headers = { ...JSON_TYPE, ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(`${world.hub.hubUrl}${path}`, {
      method,
      body: JSON.stringify(body),
      headers,
    });
    return (await response.json()) as Record<string, string>;
  };
  await send('/auth/magic-link', { email: 'mallory@example.com' });
  const { items } = (await (await world.manage('/outbox')).json()) as { items: { text: string }[] };
  const link = /\/login\/(\S+)/.exec(items[0]?.text ?? '')?.[1];
  const { access_token: token = '' } = await send('/auth/token', { token: link });
  await send('/workspace/username', { username: 'mallory' }, token, 'PUT');
  const agent = await send('/agent-tokens', { name: 'liar' }, token);
  const key = await send('/api-keys', { name: 'k' }, token);
  return [agent.token ?? '', key.token ?? ''];
}

const dial = () => ScriptedAgent.dial({ hubUrl: world.hub.hubUrl, token: liarToken });
const liar = (more: Partial<Parameters<typeof hello>[0]> = {}) =>
  ScriptedAgent.connect({ endpoints: ENDPOINTS, hubUrl: world.hub.hubUrl, token: liarToken, ...more });

/** The honest agent's execution runs through, and nothing was added to it or to anything else. */
async function whileRunning(lie: (executionId: string) => Promise<void>): Promise<void> {
  const called = world.call('job');
  const { execution_id: id } = await honest.receive('run');
  honest.output(id, 1, 'true\n');
  await honest.receive('ack', ({ execution_id }) => execution_id === id);
  const before = await countExecutions();
  await lie(id);
  honest.output(id, 2, 'words\n');
  honest.end(id, 2);
  expect(await (await called).json()).toMatchObject({ output: 'true\nwords\n', exit_code: 0 });
  expect(await countExecutions()).toBe(before);
  expect(honest.unread('run')).toBe(0);
}

async function countExecutions(): Promise<number> {
  const { items } = (await (await world.manage('/executions?limit=100')).json()) as { items: unknown[] };
  return items.length;
}

describe('an agent of another workspace', () => {
  test('that has learned an execution id can neither write to it, nor end it, nor claim it', async () => {
    await whileRunning(async (id) => {
      const inFlight = [{ execution_id: id, last_seq: 7, ended: true }];
      await using agent = await liar({ inFlight });
      expect(agent.welcome).toMatchObject({ resume: [], unknown: [id] });
      agent.output(id, 2, 'forged\n');
      agent.output(id, 9, 'far ahead\n');
      agent.end(id, 2);
      agent.end(id, 9, { kind: 'lost', message: 'forged' });
      await agent.receive('ended_ack');
      await agent.receive('ended_ack');
      expect(agent.unread('ack')).toBe(0);
    });
  });

  test('with the name, instance and boot of the honest one neither displaces it nor gets its calls', async () => {
    await whileRunning(async () => {
      await using agent = await liar({ name: 'default' });
      expect(agent.welcome.registered.map(({ url }) => url)).toEqual([liarUrl]);
      const own = fetch(liarUrl, { headers: { 'x-api-key': liarKey, accept: 'application/json' } });
      await agent.answer('mine\n');
      expect(await (await own).json()).toMatchObject({ output: 'mine\n', exit_code: 0 });
      expect(agent.unread('run')).toBe(0);
    });
  });

  test('whose hello names a workspace or a token of others still gets its own', async () => {
    await whileRunning(async () => {
      await using agent = await dial();
      const forged = { workspace: world.start.username, token: world.start.agentToken, username: 'local' };
      agent.sayRaw(JSON.stringify({ ...hello({ endpoints: ENDPOINTS }), ...forged }));
      const welcome = await agent.receive('welcome');
      expect(welcome.registered.map(({ url }) => url)).toEqual([liarUrl]);
    });
  });
});

const id = Bun.randomUUIDv7();
const endpoint = hello({ endpoints: ENDPOINTS }).endpoints[0];
const text = (frame: object) => JSON.stringify(frame);
const changed = (change: object) => text({ ...hello({ endpoints: ENDPOINTS }), ...change });
const ended = { type: 'ended', execution_id: id, last_seq: 0, ending: EXITED };

describe('a connection is closed, and nothing else changes,', () => {
  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['JSON that is nested too deep', '['.repeat(100_000)],
    ['an object without a type', '{}'],
    ['a type of the hub', text({ type: 'run', execution_id: id, endpoint: 'job', hash: '0'.repeat(64) })],
    ['a type that is an object', text({ type: { toString: 'hello' } })],
    ['a prototype', '{"__proto__":{"type":"ping","n":1}}'],
    ['an end without an ending', text({ ...ended, ending: undefined })],
    ['an end of an unknown kind', text({ ...ended, ending: { kind: 'succeeded' } })],
    ['an end with a negative number', text({ ...ended, last_seq: -1 })],
    ['an end with a number beyond 32 bits', text({ ...ended, last_seq: 2 ** 32 })],
    ['an end with an exit code that is no number', text({ ...ended, ending: { ...EXITED, exit_code: '0' } })],
    ['an id that is a path', text({ ...ended, execution_id: '../../etc/passwd' })],
    ['a ping with NaN', '{"type":"ping","n":NaN}'],
    [
      'a message of 2 MiB about an end',
      text({ ...ended, ending: { kind: 'lost', message: 'x'.repeat(2 << 20) } }),
    ],
    ['a text of 5 MiB', 'x'.repeat(5 << 20)],
    [
      '5,001 endpoints',
      text({ type: 'config', revision: 2, endpoints: Array(LINK_LIMITS.endpoints + 1).fill(endpoint) }),
    ],
    ['no bytes', new Uint8Array(0)],
    ['garbage', randomBytes(1_000)],
    ['5 MiB of garbage', randomBytes(5 << 20)],
    ['output with a length that lies', lengthOf(0xffff_ffff)],
    ['output over its limit', outputFrame(id, 1, 'x'.repeat(LINK_LIMITS.outputFrameBytes))],
    ['output without a number', outputFrame(id, 0, 'x\n')],
  ])('by %s', async (_, message) => {
    await whileRunning(async () => {
      const agent = await liar();
      agent.sayRaw(message);
      expect([CLOSE_CODES.bad_frame, 1006, 1009]).toContain(await agent.closed);
    });
  });

  test.each<[string, string]>([
    ['an instance that is no UUID', changed({ instance: 'mine' })],
    ['an agent name with a slash', changed({ agent: '../default' })],
    ['an agent name of 65 characters', changed({ agent: 'x'.repeat(65) })],
    ['versions that are no numbers', changed({ protocol: { min: 'a', max: 'z' } })],
    [
      '10,001 executions in flight',
      changed({ in_flight: Array(10_001).fill({ execution_id: id, last_seq: 0, ended: false }) }),
    ],
    ['5,001 endpoints', changed({ endpoints: Array(LINK_LIMITS.endpoints + 1).fill(endpoint) })],
    ['a definition of nine levels', changed({ endpoints: [{ ...endpoint, definition: deep(9) }] })],
    ['output before hello', text(ended)],
  ])('by a first frame with %s', async (_, message) => {
    await whileRunning(async () => {
      const agent = await dial();
      agent.sayRaw(message);
      expect(await agent.closed).toBe(CLOSE_CODES.bad_frame);
    });
  });

  test('by the result of a transform that never ends, of a call of its own', async () => {
    await whileRunning(async () => {
      const agent = await liar();
      const left = new AbortController();
      const headers = { 'x-api-key': liarKey, accept: 'application/json' };
      const own = fetch(liarUrl, { headers, signal: left.signal }).catch(() => undefined);
      const { execution_id: executionId } = await agent.receive('run');
      const bytes = new Uint8Array(LINK_LIMITS.outputTargetBytes).fill(0x20);
      const frames = (2 * LIMITS.transformResultBytes) / bytes.length;
      for (let seq = 1; seq <= frames; seq += 1)
        agent.sayRaw(encodeOutputFrame({ kind: 'result', executionId, seq, endings: undefined, bytes }));
      expect(await agent.closed).toBe(CLOSE_CODES.bad_frame);
      left.abort();
      await own;
    });
  });

  test('by whatever comes at random, or it stays open: the others never notice', async () => {
    const words = fc.constantFrom('type', 'ended', 'ping', 'config', 'execution_id', 'n', id, '__proto__');
    const message = fc.oneof(
      fc.json(),
      fc.dictionary(words, fc.oneof(words, fc.integer(), fc.jsonValue())).map((frame) => text(frame)),
      fc.uint8Array({ maxLength: 200 }),
    );
    await whileRunning(async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 5 }), async (messages) => {
          await using agent = await liar();
          for (const one of messages) agent.sayRaw(one);
        }),
        { numRuns: RUNS },
      );
    });
    expect((await fetch(`${world.hub.hubUrl}/health`)).status).toBe(200);
    expect(world.logLines.filter((line) => line.includes('internal error'))).toEqual([]);
  });
});

test('10,000 unknown executions in flight are all unknown, and delay no others', async () => {
  await whileRunning(async () => {
    const inFlight = Array.from({ length: 10_000 }, () => ({
      execution_id: Bun.randomUUIDv7(),
      last_seq: 1,
      ended: true,
    }));
    await using agent = await liar({ inFlight });
    expect([agent.welcome.unknown.length, agent.welcome.resume.length]).toEqual([10_000, 0]);
  });
});

/** Output whose field for the length of the endings says this. */
function lengthOf(length: number): Uint8Array {
  const bytes = encodeOutputFrame({
    kind: 'output',
    executionId: id,
    seq: 1,
    endings: undefined,
    bytes: new Uint8Array(9),
  });
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(21, length);
  return bytes;
}

function deep(levels: number): object {
  return levels === 0 ? {} : { deeper: deep(levels - 1) };
}
