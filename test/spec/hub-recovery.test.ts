// Never lost, never twice: decisions 21, 24, 26, 29 and 30. The agent is played by the test, over real sockets.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { LIMITS } from '@svc/core/plan/limits';
import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { hello, outputFrame, ScriptedAgent } from '../scripted-agent.ts';
import { until } from '../until.ts';

const ENDPOINTS = [{ name: 'job', command: 'true', args: [{ name: 'n', default: '1' }] }];
const ASYNC = { headers: { prefer: 'respond-async' } };

let world: HubWorld;
let agent: ScriptedAgent;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_FORWARD_CAP_S: '3600' } });
  agent = await connect();
});
afterEach(() => world[Symbol.asyncDispose]());

const connect = (options: Partial<Parameters<HubWorld['agent']>[0]> = {}) =>
  world.agent({ endpoints: ENDPOINTS, ...options });

async function execution(id: string) {
  return (await (await world.manage(`/executions/${id}`)).json()) as Record<string, unknown>;
}

async function started(): Promise<string> {
  const response = await world.call('job', ASYNC);
  const { execution_id: id } = await agent.receive('run');
  expect([response.status, response.headers.get('x-execution-id')]).toEqual([202, id]);
  return id;
}

const inFlight = (id: string, lastSeq = 0, ended = false) => [{ execution_id: id, last_seq: lastSeq, ended }];

describe('the hub restarts', () => {
  test('and an execution continues where it was, no byte lost and none twice', async () => {
    const id = await started();
    agent.output(id, 1, 'a\n');
    agent.output(id, 2, 'b\n');
    await agent.receive('ack', ({ seq }) => seq === 2);
    await world.restart();
    const back = await connect({ inFlight: inFlight(id, 3) });
    expect(back.welcome).toMatchObject({ resume: [{ execution_id: id, stored_seq: 2 }], unknown: [] });
    back.output(id, 2, 'b\n');
    back.output(id, 3, 'c\n');
    back.end(id, 3);
    await back.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'succeeded', output: 'a\nb\nc\n' });
    expect(back.unread('run')).toBe(0);
  });

  test('and a reader that was given more than the hub lived to store is not given it again', async () => {
    const id = await started();
    agent.output(id, 1, 'a\n');
    await agent.receive('ack', ({ seq }) => seq === 1);
    // The hub that gave piece 2 to the reader, and died, was another one.
    const reading = world.manage(`/executions/${id}/stream?after=2`);
    const response = await reading;
    agent.output(id, 2, 'b\n');
    agent.output(id, 3, 'c\n');
    agent.end(id, 3);
    const text = await response.text();
    expect(text).not.toContain('"b"');
    expect(text).toContain('"c"');
  });

  test('and an asynchronous one whose frame never arrived is dispatched again, with its arguments', async () => {
    const response = await world.call('job?n=7', ASYNC);
    const { execution_id: id } = (await response.json()) as { execution_id: string };
    await world.restart();
    const back = await connect();
    expect(await back.receive('run')).toMatchObject({ execution_id: id, args: { n: '7' } });
    back.end(id, 0);
    await back.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'succeeded' });
  });

  test('and an execution whose caller left meanwhile is not run, and does not use the quota', async () => {
    const caller = new AbortController();
    const called = world.call('job', { signal: caller.signal }).catch(() => undefined);
    const { execution_id: id } = await agent.receive('run');
    await world.restart();
    caller.abort();
    await called;
    const back = await connect();
    await until(async () => (await execution(id)).status !== 'running');
    expect(await execution(id)).toMatchObject({ status: 'rejected', reason: 'hub_restart' });
    expect(back.unread('run')).toBe(0);
  });

  test('and the machine of the agent did too: what ran there is lost, and runs nowhere again', async () => {
    const id = await started();
    await world.restart();
    const back = await connect({ boot: 'boot-2' });
    await until(async () => (await execution(id)).status !== 'running');
    expect([await execution(id), back.unread('run')]).toEqual([
      expect.objectContaining({ status: 'lost', code: 'lost' }),
      0,
    ]);
  });

  test('and an agent that stays away for 120 s from then on has lost what it ran', async () => {
    const id = await started();
    await world.restart();
    world.clock.move(119_000);
    expect(await execution(id)).toMatchObject({ status: 'running' });
    world.clock.move(2_000);
    await until(async () => (await execution(id)).status === 'lost');
  });
});

test('a hub that stops finishes its answers, and orders agents to move', async () => {
  const called = world.call('job');
  const { execution_id: id } = await agent.receive('run');
  const stopped = world.hub.stop({ graceMs: 30_000 });
  agent.output(id, 1, 'in time\n');
  agent.end(id, 1);
  expect(await (await called).json()).toMatchObject({ output: 'in time\n', exit_code: 0 });
  await agent.receive('move');
  expect(await agent.closed).toBe(CLOSE_CODES.going_away);
  await stopped;
});

describe('the connection breaks', () => {
  test('and a caller that waits gets all of it once the agent is back', async () => {
    const called = world.call('job');
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'before\n');
    await agent.receive('ack', ({ seq }) => seq === 1);
    await agent.vanish();
    const back = await connect({ inFlight: inFlight(id, 2, true) });
    expect(back.welcome.resume).toEqual([{ execution_id: id, stored_seq: 1 }]);
    back.output(id, 1, 'before\n');
    back.output(id, 2, 'after\n');
    back.end(id, 2);
    expect(await (await called).json()).toMatchObject({ output: 'before\nafter\n', exit_code: 0 });
  });

  test('before the frame arrived: it is sent again to a caller that still waits', async () => {
    const called = world.call('job');
    const { execution_id: id } = await agent.receive('run');
    await agent.vanish();
    const back = await connect();
    expect(await back.receive('run')).toMatchObject({ execution_id: id });
    back.output(id, 1, 'x\n');
    back.end(id, 1);
    expect(await (await called).json()).toMatchObject({ output: 'x\n', exit_code: 0 });
  });

  test('for 120 s: the files of what is lost are taken until its end is proved, and not after it', async () => {
    const id = await started();
    await agent.vanish();
    await world.untilNoAgent();
    world.clock.move(120_001);
    await until(async () => (await execution(id)).status === 'lost');
    const announce = async (agentName?: string) => {
      const headers = {
        authorization: `Bearer ${await world.tokenFor(agentName)}`,
        'content-type': 'application/json',
      };
      const body = '{"files":[{"name":"a","size":0}],"missing":[]}';
      const path = `${world.hub.hubUrl}/agents/artifacts/${id}`;
      return (await fetch(path, { method: 'POST', headers, body })).status;
    };
    expect([await announce('other'), await announce()]).toEqual([404, 200]);
    const back = await connect({ inFlight: inFlight(id, 0, true) });
    back.end(id, 0);
    await until(async () => (await execution(id)).status === 'succeeded');
    expect(await announce()).toBe(404);
  });

  test('for 120 s: lost, until the agent proves what became of it', async () => {
    const called = world.call('job');
    const { execution_id: id } = await agent.receive('run');
    await agent.vanish();
    await world.untilNoAgent();
    world.clock.move(120_001);
    const response = await called;
    expect([response.status, await response.json()]).toEqual([
      502,
      { error: expect.any(String), code: 'lost', execution_id: id },
    ]);
    const back = await connect({ inFlight: inFlight(id, 1, true) });
    expect(back.welcome.resume).toEqual([{ execution_id: id, stored_seq: 0 }]);
    back.output(id, 1, 'it ran\n');
    back.end(id, 1);
    await back.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'succeeded', late: true, output: 'it ran\n' });
  });

  test('and new calls are refused at once with agent_offline', async () => {
    await agent.vanish();
    await world.untilNoAgent();
    expect((await world.call('job')).status).toBe(502);
  });

  test('with the end on its way twice: the agent may forget what is final', async () => {
    const id = await started();
    agent.end(id, 0);
    await agent.receive('ended_ack');
    await agent.vanish();
    const back = await connect({ inFlight: inFlight(id, 0, true) });
    expect(back.welcome).toMatchObject({ resume: [], unknown: [id] });
  });
});

describe('a connection', () => {
  test('that a newer one of the same instance has replaced is ignored', async () => {
    const called = world.call('job');
    const { execution_id: id } = await agent.receive('run');
    const newer = await connect({ inFlight: inFlight(id, 0) });
    agent.output(id, 1, 'stale\n');
    agent.end(id, 1);
    expect(await agent.closed).toBe(CLOSE_CODES.displaced);
    newer.output(id, 1, 'fresh\n');
    newer.end(id, 1);
    expect(await (await called).json()).toMatchObject({ output: 'fresh\n', exit_code: 0 });
  });

  test('cannot speak for an execution of another agent', async () => {
    const called = world.call('job');
    const { execution_id: id } = await agent.receive('run');
    const other = await connect({ endpoints: [], name: 'other' });
    const twin = await connect({
      endpoints: ENDPOINTS,
      instance: '22222222-2222-4222-8222-222222222222',
      inFlight: inFlight(id, 1),
    });
    expect(twin.welcome).toMatchObject({ resume: [], unknown: [id] });
    for (const liar of [other, twin]) {
      liar.output(id, 1, 'forged\n');
      liar.end(id, 1);
      await liar.receive('ended_ack');
    }
    agent.output(id, 1, 'true\n');
    agent.end(id, 1);
    expect(await (await called).json()).toMatchObject({ output: 'true\n', exit_code: 0 });
  });

  test.each([
    ['no JSON', '{"type":'],
    ['an unknown frame', '{"type":"own"}'],
    ['a field of the wrong type', '{"type":"ended","execution_id":7}'],
    ['too long', JSON.stringify({ type: 'ping', n: 1, x: 'x'.repeat(2_000_000) })],
    ['bytes that are no output', new Uint8Array(40)],
    ['a second hello', JSON.stringify(hello({ endpoints: ENDPOINTS }))],
  ])('with a frame that is %s is closed, and nothing else is', async (_, frame) => {
    const other = await connect({ instance: '22222222-2222-4222-8222-222222222222' });
    agent.sayRaw(frame);
    expect(await agent.closed).toBe(CLOSE_CODES.bad_frame);
    const called = world.call('job');
    await other.answer('x\n');
    expect((await called).status).toBe(200);
  });

  test('with output that leaves a gap is closed, and continues after a reconnect', async () => {
    const id = await started();
    agent.output(id, 1, 'a\n');
    agent.output(id, 3, 'c\n');
    expect(await agent.closed).toBe(CLOSE_CODES.bad_frame);
    const back = await connect({ inFlight: inFlight(id, 3) });
    expect(back.welcome.resume).toEqual([{ execution_id: id, stored_seq: 1 }]);
    back.output(id, 2, 'b\n');
    back.output(id, 3, 'c\n');
    back.end(id, 3);
    await back.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ output: 'a\nb\nc\n' });
  });

  test('that does not begin with hello is closed', async () => {
    const silent = await ScriptedAgent.dial({ hubUrl: world.hub.hubUrl, token: world.start.agentToken });
    silent.say({ type: 'ping', n: 1 });
    expect(await silent.closed).toBe(CLOSE_CODES.bad_frame);
  });

  test('without a living agent token is no connection', async () => {
    for (const token of ['', world.start.apiKey, world.start.accessToken, `svc_at_${'0'.repeat(49)}`]) {
      const dialled = ScriptedAgent.dial({ hubUrl: world.hub.hubUrl, token });
      expect(await dialled.then(() => 'connected').catch(() => 'refused')).toBe('refused');
    }
    const response = await fetch(`${world.hub.hubUrl}/agents/connect`);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      401,
      'unauthorized',
    ]);
  });
});

describe('stored output', () => {
  test('over the limit keeps its head and its tail, says what was cut, and all of it is acknowledged', async () => {
    const id = await started();
    const piece = (n: number) => `${String(n).padStart(6, '0')} ${'x'.repeat(60_000)}\n`;
    const count = 300;
    let acknowledged = 0;
    for (let seq = 1; seq <= count; seq += 1) {
      agent.output(id, seq, piece(seq));
      // Like an agent: at most its window is on its way.
      while ((seq - acknowledged) * 60_000 > 3_500_000) acknowledged = (await agent.receive('ack')).seq;
    }
    await agent.untilTaken();
    const follower = await world.manage(`/executions/${id}/stream`);
    agent.end(id, count);
    await agent.receive('ended_ack');
    const followed = await follower.text();
    const text = await (await world.manage(`/executions/${id}/output`)).text();
    expect(text.length).toBeLessThanOrEqual(LIMITS.storedOutputBytes);
    expect(text.length).toBeGreaterThan(LIMITS.storedOutputBytes * 0.9);
    const numbers = [...text.matchAll(/^(\d{6}) x/gm)].map((match) => Number(match[1]));
    const cut = numbers.findIndex((n, at) => n !== at + 1);
    expect(numbers.slice(cut)).toEqual(
      Array.from({ length: numbers.length - cut }, (_, at) => count - (numbers.length - cut) + at + 1),
    );
    expect(text).toMatch(/^\[svc: \d+ bytes of the stream cut here \(\d+ lines\), over the limit\]$/m);
    const [, bytes] = /\[svc: (\d+) bytes/.exec(text) ?? [];
    // A reader that joins later gets the stored output and the later one, and the same notice about the cut.
    expect([...followed.matchAll(/"data":"(\d{6}) x/g)].map((match) => Number(match[1]))).toEqual(numbers);
    expect(followed).toContain(`[svc: ${bytes} bytes of the stream cut here`);
    const frame = outputFrame(id, 1, piece(1));
    const perPiece = frame.length - 25;
    expect(Number(bytes)).toBe((count - numbers.length) * perPiece);
  });
});

describe('a slow reader', () => {
  test('paces the run, and is dropped after 30 s while the run continues', async () => {
    const reader = await stalledReader(world.urlOf('job'), world.start.apiKey);
    const { execution_id: id } = await agent.receive('run');
    const piece = `${'x'.repeat(60_000)}\n`;
    let [seq, acknowledged] = [0, 0];
    const listening = (async () => {
      for (;;) acknowledged = (await agent.receive('ack', (ack) => ack.execution_id === id)).seq;
    })().catch(() => undefined);
    // Like an agent: at most its window is on its way. Socket buffers fill first, then the reader's own, and then nothing is
    // acknowledged any more, though output of another execution is.
    for (let before = -1; before !== acknowledged || !world.clock.hasTimer(30_000); ) {
      before = acknowledged;
      while ((seq - acknowledged) * piece.length < 3_500_000) agent.output(id, ++seq, piece);
      await another();
    }
    expect((seq - acknowledged) * piece.length).toBeGreaterThan(3_400_000);
    world.clock.move(30_000);
    agent.end(id, seq);
    await agent.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'succeeded' });
    expect(await reader.rest()).toContain('too slow');
    await agent.vanish();
    await listening;
  });

  /** Settles when a piece of output that is sent now was acknowledged. */
  async function another(): Promise<void> {
    await world.call('job', ASYNC);
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'x\n');
    await agent.receive('ack', (ack) => ack.execution_id === id);
    agent.end(id, 1);
    await agent.receive('ended_ack', (ack) => ack.execution_id === id);
  }
});

/** Calls and reads nothing until it is asked to. */
async function stalledReader(url: string, key: string) {
  const { hostname, port, pathname } = new URL(url);
  const socket = connectTcp({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${key}\r\n\r\n`);
  return {
    async rest(): Promise<string> {
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    },
  };
}
