import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { AgentWorld } from './fixtures/agent-world.ts';
import { ManualTimers } from './fixtures/manual-timers.ts';
import { ScriptedHub } from './fixtures/scripted-hub.ts';
import { TcpProxy } from './fixtures/tcp-proxy.ts';

setDefaultTimeout(60_000);

/** Prints `begun`, and `over` once there is a file `go`. Each run adds a line to `ran`. */
const GATED = {
  name: 'gated',
  command: 'echo ran >> ran; echo begun; while [ ! -e go ]; do sleep 0.01; done; echo over',
};

describe('a link that is cut', () => {
  test('reconnects by itself, and the command does not notice', async () => {
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([GATED]);
    await world.connect(hub.url);
    await hub.greeted();
    const id = hub.run('gated');
    await hub.until(() => hub.record(id).output === 'begun\n');
    hub.cut();
    const again = await hub.greeted(2);
    expect(again.in_flight).toEqual([{ execution_id: id, last_seq: 1, ended: false }]);
    await Bun.write(join(world.folder, 'go'), '');
    const record = await hub.ended(id);
    expect({ output: record.output, repeated: record.repeated }).toEqual({
      output: 'begun\nover\n',
      repeated: 0,
    });
    expect(again).toMatchObject({ instance: hub.hellos[0]?.instance, process: hub.hellos[0]?.process });
    expect(readFileSync(join(world.folder, 'ran'), 'utf8')).toBe('ran\n');
    expect(hub.violations).toEqual([]);
  });

  test('reports what ended meanwhile, and repeats it until the hub has it', async () => {
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([GATED]);
    await world.connect(hub.url);
    await hub.greeted();
    hub.acknowledgesEnds = false;
    const id = hub.run('gated');
    await Bun.write(join(world.folder, 'go'), '');
    await hub.ended(id);
    for (const count of [2, 3]) {
      hub.cut();
      expect((await hub.greeted(count)).in_flight).toMatchObject([{ execution_id: id, ended: true }]);
      await hub.until(() => hub.record(id).ends.length === count);
    }
    hub.send({ type: 'ended_ack', execution_id: id });
    hub.acknowledgesEnds = true;
    await hub.ended(hub.run('gated'));
    hub.cut();
    expect((await hub.greeted(4)).in_flight).toEqual([]);
    expect(hub.violations).toEqual([]);
  });

  test('waits in a window that doubles, and resets after a good connection', async () => {
    const timers = new ManualTimers();
    await using world = await AgentWorld.make([GATED]);
    await using hub = new ScriptedHub();
    hub.refuseUpgrade = () => new Response(null, { status: 503 });
    await world.connect(hub.url, { timers, random: () => 0.5 });
    const lost = async (count: number) =>
      (await world.until(() => world.eventsOf('disconnected')[count - 1])).retryInMs;
    const waits = [await lost(1)];
    for (const count of [2, 3, 4, 5]) {
      timers.advance(waits.at(-1) ?? 0);
      waits.push(await lost(count));
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 7_500]);
    hub.refuseUpgrade = () => undefined;
    timers.advance(7_500);
    await world.until(() => world.eventsOf('connected')[0]);
    hub.cut();
    expect(await lost(6)).toBe(7_500);
    timers.advance(7_500);
    await world.until(() => world.eventsOf('connected')[1]);
    timers.advance(9_999);
    timers.advance(5_001);
    hub.cut();
    expect(await lost(7)).toBe(500);
    const reason = world.eventsOf('disconnected')[0]?.reason;
    expect(reason).toBe('it answered with status 503');
  });

  test('is noticed without any sign, and the output in flight is sent again', async () => {
    const timers = new ManualTimers();
    await using hub = new ScriptedHub();
    await using wire = await TcpProxy.to(hub.port);
    await using world = await AgentWorld.make([GATED]);
    await world.connect(wire.url, { timers });
    await world.until(() => world.eventsOf('connected')[0]);
    const id = hub.run('gated');
    await hub.until(() => hub.record(id).output === 'begun\n');
    wire.fallSilent();
    await Bun.write(join(world.folder, 'go'), '');
    // The ending is lost on the way; only the missing pongs reveal it.
    for (let pings = 0; pings < 3; pings += 1) timers.advance(10_000);
    expect(world.eventsOf('disconnected')[0]).toMatchObject({ reason: 'no answer to pings' });
    wire.speak();
    timers.advance(0);
    const record = await hub.ended(id);
    expect(record.output).toBe('begun\nover\n');
    expect(hub.violations).toEqual([]);
  });

  test('moves to another hub at once when the hub asks for it', async () => {
    const timers = new ManualTimers();
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([GATED]);
    await world.connect(hub.url, { timers, random: () => 0.9 });
    await world.until(() => world.eventsOf('connected')[0]);
    hub.send({ type: 'move' });
    expect(await world.until(() => world.eventsOf('disconnected')[0])).toMatchObject({ retryInMs: 0 });
    expect(await hub.until(() => hub.closes[0])).toMatchObject({ code: 1001 });
    timers.advance(0);
    await hub.greeted(2);
  });
});

describe('a hub that the agent has left', () => {
  test('is ignored', async () => {
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([{ name: 'x', command: 'echo ran >> ran' }]);
    const timers = new ManualTimers();
    await world.connect(hub.url, { timers });
    await world.until(() => world.eventsOf('connected')[0]);
    const stale = hub.socket;
    // The order after `move` arrives in the same packet.
    stale?.cork(() => {
      hub.send({ type: 'move' });
      hub.run('x');
    });
    await world.until(() => world.eventsOf('disconnected')[0]);
    timers.advance(0);
    await hub.greeted(2);
    await hub.until(() => hub.socket !== stale && hub.socket);
    expect(hub.hellos[1]?.in_flight).toEqual([]);
    await hub.ended(hub.run('x'));
    expect(readFileSync(join(world.folder, 'ran'), 'utf8')).toBe('ran\n');
  });
});

describe('a welcome', () => {
  test('that drops an execution ends its command', async () => {
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([GATED]);
    await world.connect(hub.url);
    await hub.greeted();
    const id = hub.run('gated');
    await hub.until(() => hub.record(id).output === 'begun\n');
    hub.records.delete(id);
    hub.cut();
    await hub.greeted(2);
    // The command would wait forever for the file `gate`.
    await world.agent?.stop();
    expect(hub.records.has(id)).toBe(false);
  });

  test('that does not mention an execution gets its unacknowledged output', async () => {
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([GATED]);
    await world.connect(hub.url);
    await hub.greeted();
    hub.acknowledges = false;
    const id = hub.run('gated');
    await hub.until(() => hub.record(id).output === 'begun\n');
    hub.welcome = (hello) => ({ ...hub.welcomeTo(hello), resume: [] });
    hub.cut();
    await hub.until(() => hub.record(id).repeated === 1);
    await Bun.write(join(world.folder, 'go'), '');
    expect((await hub.ended(id)).output).toBe('begun\nover\n');
  });
});

describe('whatever a hub sends, the agent continues', () => {
  test.each([
    ['rubbish', 'rubbish'],
    ['an ack of an unknown execution', { type: 'ack', execution_id: crypto.randomUUID(), seq: 9 }],
    ['an ended_ack of an unknown execution', { type: 'ended_ack', execution_id: crypto.randomUUID() }],
    ['a cancel of an unknown execution', { type: 'cancel', execution_id: crypto.randomUUID() }],
    [
      'a registration of nothing',
      { type: 'registered', revision: 99, registered: [], refused: [], warnings: [] },
    ],
    ['another kind of frame', { type: 'format_disk' }],
    ['bytes', new Uint8Array(1000)],
    ['nothing', ''],
  ] as const)('%s', async (_, message) => {
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([{ name: 'x', command: 'echo out' }]);
    await world.connect(hub.url);
    await hub.greeted();
    const isText = typeof message === 'string' || message instanceof Uint8Array;
    hub.socket?.send(isText ? message : JSON.stringify(message));
    const closes =
      typeof message === 'string' || message instanceof Uint8Array || message.type === 'format_disk';
    if (closes) await hub.greeted(2);
    expect((await hub.ended(hub.run('x'))).output).toBe('out\n');
    expect(hub.hellos).toHaveLength(closes ? 2 : 1);
  });
});

test('wherever the link is cut, the hub has the output exactly, and each command ran once', async () => {
  await using hub = new ScriptedHub();
  await using world = await AgentWorld.make([
    { name: 'print', command: 'echo ran >> ran-{{n}}; cat text-{{n}}', args: [{ name: 'n' }] },
  ]);
  await world.connect(hub.url);
  await hub.greeted();
  // The number of frames before each cut, whether the hub acknowledges them, and whether the last one is lost.
  const cuts = fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.boolean(), fc.boolean()), {
    maxLength: 6,
  });
  const texts = fc.array(
    fc.tuple(fc.constantFrom('a', 'line\n', '\r\n', 'ü', '\u0000'), fc.integer({ min: 1, max: 60_000 })),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(texts, cuts, async (parts, points) => {
      runs += 1;
      const text = parts.map(([part, count]) => part.repeat(count)).join('');
      await Bun.write(join(world.folder, `text-${runs}`), text);
      const left = points.map((point) => [...point] as [number, boolean, boolean]);
      hub.intercept = (socket, frame) => {
        const next = left[0];
        if (next === undefined || ('type' in frame && frame.type === 'hello')) return false;
        hub.acknowledges = next[1];
        hub.acknowledgesEnds = next[1];
        next[0] -= 1;
        if (next[0] > 0) return false;
        left.shift();
        if (left.length === 0) hub.acknowledges = hub.acknowledgesEnds = true;
        socket.terminate();
        return next[2];
      };
      const id = Bun.randomUUIDv7();
      const order = () => hub.run('print', { execution_id: id, args: { n: String(runs) } });
      let hellos = hub.hellos.length;
      order();
      await hub.until(() => {
        if (hub.record(id).ending !== undefined) return true;
        // An agent that reconnects without the order never received it.
        const isBack = hub.hellos.length > hellos;
        hellos = hub.hellos.length;
        const inFlight = hub.hellos.at(-1)?.in_flight ?? [];
        if (isBack && !inFlight.some(({ execution_id }) => execution_id === id)) order();
        return false;
      });
      left.length = 0;
      hub.acknowledges = hub.acknowledgesEnds = true;
      const record = await hub.ended(id);
      expect(record.output).toBe(text);
      expect(record.ending).toMatchObject({ kind: 'exited', exit_code: 0 });
      expect(readFileSync(join(world.folder, `ran-${runs}`), 'utf8')).toBe('ran\n');
      expect(hub.violations).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
