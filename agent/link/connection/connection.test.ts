import { describe, expect, test } from 'bun:test';
import type { HubFrameOf } from '@svc/core/protocol/frame';
import type { InputFrame } from '@svc/core/protocol/input-frame';
import { Changes } from '../fixtures/changes.ts';
import { ManualTimers } from '../fixtures/manual-timers.ts';
import { ScriptedHub } from '../fixtures/scripted-hub.ts';
import { TcpProxy } from '../fixtures/tcp-proxy.ts';
import type { Closing } from './connection.ts';
import { type ConnectionEvents, HubConnection, type Instruction } from './connection.ts';

const HELLO = {
  type: 'hello',
  protocol: { min: 1, max: 1 },
  agent: 'default',
  instance: crypto.randomUUID(),
  boot: 'b',
  process: crypto.randomUUID(),
  version: '1',
  host: { hostname: 'h', os: 'linux', arch: 'x64' },
  local_only: false,
  revision: 1,
  endpoints: [],
  in_flight: [],
} as const;

/** The events that a connection reports to its owner. */
class Owner extends Changes implements ConnectionEvents {
  readonly welcomes: HubFrameOf<'welcome'>[] = [];
  readonly instructions: Instruction[] = [];
  readonly closings: Closing[] = [];
  hello = () => HELLO;
  welcomed = (welcome: HubFrameOf<'welcome'>) => this.#keep(this.welcomes, welcome);
  instructed = (instruction: Instruction) => this.#keep(this.instructions, instruction);
  readonly inputs: InputFrame[] = [];
  input = (frame: InputFrame) => this.#keep(this.inputs, frame);
  left = () => this.changed();
  drained = () => this.changed();
  closed = (closing: Closing) => this.#keep(this.closings, closing);

  closing(): Promise<Closing> {
    return this.until(() => this.closings[0]);
  }

  #keep<T>(list: T[], item: T): void {
    list.push(item);
    this.changed();
  }
}

function connected(url: URL, { token = 't', proxy }: { token?: string; proxy?: string } = {}) {
  const timers = new ManualTimers();
  const owner = new Owner();
  const target = { url: `ws://${url.host}/agents/connect`, token, proxy };
  return { timers, owner, connection: new HubConnection(target, timers, owner) };
}

describe('a connection', () => {
  test('begins with hello and welcome, then delivers instructions in order', async () => {
    await using hub = new ScriptedHub();
    const { owner, connection } = connected(hub.url, { token: 'svc_at_x' });
    await owner.until(() => owner.welcomes[0]);
    expect(hub.hellos).toEqual([HELLO]);
    expect(hub.tokens).toEqual(['Bearer svc_at_x']);
    hub.send({ type: 'move' });
    expect(await owner.until(() => owner.instructions[0])).toEqual({ type: 'move' });
    connection.close('done');
    expect(owner.closings).toEqual([{ code: 1000, reason: '' }]);
    await hub.until(() => hub.closes[0]?.code === 1000);
  });

  test('answers pings of the hub', async () => {
    await using hub = new ScriptedHub();
    const { owner, connection } = connected(hub.url);
    await owner.until(() => owner.welcomes[0]);
    hub.send({ type: 'ping', n: 7 });
    await hub.until(() => hub.received.some((frame) => frame.type === 'pong' && frame.n === 7));
    connection.close('done');
  });

  test('uses a proxy if there is one', async () => {
    await using hub = new ScriptedHub();
    const connects: string[] = [];
    using proxy = connectProxy(hub.port, (line) => connects.push(line));
    const url = new URL('http://hub.invalid:8787');
    const { owner, connection } = connected(url, { proxy: `http://127.0.0.1:${proxy.port}` });
    await owner.until(() => owner.welcomes[0]);
    expect(connects).toEqual(['CONNECT hub.invalid:8787 HTTP/1.1']);
    connection.close('done');
  });
});

describe('a frame that a hub may not send closes the connection with a reason', () => {
  test.each([
    ['rubbish', 'rubbish', 'a frame is one JSON object'],
    ['another frame', '{"type":"hello"}', 'type: a frame of a hub expected'],
    ['a frame with a mistake', '{"type":"ack","execution_id":"x","seq":1}', /^ack\.execution_id: a UUID/],
    ['a binary frame', new Uint8Array([1, 2, 3]), 'input: more than 25 bytes expected'],
    ['a second welcome', 'welcome', 'a second welcome'],
  ] as const)('%s', async (_, message, reason) => {
    await using hub = new ScriptedHub();
    const { owner } = connected(hub.url);
    const welcome = await owner.until(() => owner.welcomes[0]);
    hub.socket?.send(message === 'welcome' ? JSON.stringify(welcome) : message);
    expect(await owner.closing()).toMatchObject({ code: 4400, reason: expect.stringMatching(reason) });
    expect(await hub.until(() => hub.closes[0])).toMatchObject({ code: 4400 });
  });

  test('an instruction before welcome', async () => {
    await using hub = new ScriptedHub();
    hub.welcome = () => undefined;
    const { owner } = connected(hub.url);
    await hub.greeted();
    hub.send({ type: 'move' });
    expect(await owner.closing()).toEqual({ code: 4400, reason: 'move before welcome' });
  });

  test('a frame of ten million characters', async () => {
    await using hub = new ScriptedHub();
    const { owner } = connected(hub.url);
    await owner.until(() => owner.welcomes[0]);
    hub.socket?.send(`{"type":"move","x":"${'x'.repeat(10_000_000)}"}`);
    expect(await owner.closing()).toMatchObject({ code: 4400, reason: 'the frame is too long' });
  });
});

describe('the end is reported once, with its reason', () => {
  test('a close frame of the hub', async () => {
    await using hub = new ScriptedHub();
    const { owner } = connected(hub.url);
    await owner.until(() => owner.welcomes[0]);
    hub.closeWith('displaced', 'a newer connection');
    expect(await owner.closing()).toEqual({ code: 4409, reason: 'a newer connection' });
  });

  test('an error frame before the close gives the reason', async () => {
    await using hub = new ScriptedHub();
    hub.welcome = () => undefined;
    const { owner } = connected(hub.url);
    await hub.greeted();
    hub.send({ type: 'error', code: 'name_refused', message: 'the name "x" belongs to another token' });
    hub.closeWith('name_refused');
    expect(await owner.closing()).toEqual({ code: 4403, reason: 'the name "x" belongs to another token' });
  });

  test('a connection that is cut', async () => {
    await using hub = new ScriptedHub();
    const { owner, timers } = connected(hub.url);
    await owner.until(() => owner.welcomes[0]);
    hub.cut();
    expect(await owner.closing()).toMatchObject({ code: 1006 });
    timers.advance(100_000);
    expect(owner.closings).toHaveLength(1);
  });

  test('an upgrade that is refused, with its status', async () => {
    await using hub = new ScriptedHub();
    hub.refuseUpgrade = () => new Response('no', { status: 401 });
    const { owner } = connected(hub.url);
    expect(await owner.closing()).toEqual({ code: 1006, reason: 'it answered with status 401', status: 401 });
  });

  test('a port without a server', async () => {
    const { owner, timers } = connected(new URL('http://127.0.0.1:1'));
    expect(await owner.closing()).toEqual({ code: 1006, reason: 'failed to connect' });
    expect(timers.waitingMs).toEqual([]);
  });
});

describe('a hub that is silent', () => {
  test('from the beginning is abandoned after fifteen seconds', async () => {
    await using silent = await TcpProxy.to(1);
    silent.fallSilent();
    const { owner, timers } = connected(silent.url);
    timers.advance(14_999);
    expect(owner.closings).toEqual([]);
    timers.advance(1);
    expect(owner.closings).toEqual([{ code: 4408, reason: 'no welcome in time' }]);
  });

  test('after hello is abandoned as well', async () => {
    await using hub = new ScriptedHub();
    hub.welcome = () => undefined;
    const { owner, timers } = connected(hub.url);
    await hub.greeted();
    timers.advance(15_000);
    expect(owner.closings).toEqual([{ code: 4408, reason: 'no welcome in time' }]);
  });

  test('on an open connection is abandoned after two pings', async () => {
    await using hub = new ScriptedHub();
    await using wire = await TcpProxy.to(hub.port);
    const { owner, timers } = connected(wire.url);
    await owner.until(() => owner.welcomes[0]);
    timers.advance(10_000);
    await hub.until(() => hub.received.some(({ type }) => type === 'ping'));
    wire.fallSilent();
    timers.advance(19_999);
    expect(owner.closings).toEqual([]);
    timers.advance(10_000);
    expect(owner.closings).toEqual([{ code: 4408, reason: 'no answer to pings' }]);
  });

  test('is not silent while it sends anything', async () => {
    await using hub = new ScriptedHub();
    hub.answersPings = false;
    const { owner, timers, connection } = connected(hub.url);
    await owner.until(() => owner.welcomes[0]);
    for (let n = 0; n < 5; n += 1) {
      timers.advance(20_000);
      const before = owner.instructions.length;
      hub.send({ type: 'ended_ack', execution_id: crypto.randomUUID() });
      await owner.until(() => owner.instructions.length > before);
    }
    expect(owner.closings).toEqual([]);
    connection.close('done');
  });
});

test('output is refused while the network buffer is full', async () => {
  await using hub = new ScriptedHub();
  await using wire = await TcpProxy.to(hub.port);
  const { owner, timers, connection } = connected(wire.url);
  await owner.until(() => owner.welcomes[0]);
  wire.hold();
  const message = new Uint8Array(500_000);
  let accepted = 0;
  while (connection.sendOutput(message)) accepted += 1;
  expect(accepted).toBeLessThan(100);
  let drains = 0;
  owner.drained = () => {
    drains += 1;
    owner.changed();
  };
  timers.advance(1_000);
  expect(drains).toBe(0);
  wire.letGo();
  await hub.until(() => hub.violations.length === accepted);
  timers.advance(10);
  expect(drains).toBe(1);
  connection.close('done');
});

/** A proxy that answers CONNECT and connects to one port, whatever the requested name. */
function connectProxy(port: number, onRequest: (line: string) => void) {
  type Pair = { far: Bun.Socket<undefined> | undefined };
  return Bun.listen<Pair>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(near) {
        near.data = { far: undefined };
      },
      async data(near, bytes) {
        if (near.data.far !== undefined) {
          near.data.far.write(bytes);
          return;
        }
        onRequest(bytes.toString().split('\r\n')[0] ?? '');
        near.data.far = await Bun.connect({
          hostname: '127.0.0.1',
          port,
          socket: {
            data: (_, back) => void near.write(back),
            close: () => void near.end(),
          },
        });
        near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      },
      close: (near) => void near.data.far?.end(),
    },
  });
}
