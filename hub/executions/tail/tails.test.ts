import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import { OutputEncoder } from '@svc/core/execution/output-encoder';
import { Refusal } from '@svc/core/refusal';
import type { TailFilter } from '@svc/core/tail/tail-filter';
import type { TailBatch } from '@svc/core/tail/tail-line';
import { LocalBroker } from '../../platform/bus/fixtures/local-bus.ts';
import { newExecution } from '../../platform/db/fixtures/samples.ts';
import { HandClock } from '../../platform/fixtures/hand-clock.ts';
import type { Started } from '../live/running-executions.ts';
import { RESULT_PIECE } from '../stored-output.ts';
import { RemoteTails } from './remote-tails.ts';
import { TailReaders } from './tail-readers.ts';
import { Tails } from './tails.ts';

const MIB = 1024 * 1024;

const execution = (facts: Partial<Started> = {}): Started => newExecution({ workspaceId: 'w', ...facts });

function piece(text: string, endings?: string) {
  const sse = new OutputEncoder().push(new TextEncoder().encode(text))?.sse ?? new Uint8Array();
  return { executionId: 'x', seq: 1, sse, endings };
}

/** One event, however long. */
function eventPiece(fields: { data: string; encoding?: 'base64' }) {
  const sse = new TextEncoder().encode(`data: ${JSON.stringify({ type: 'output', ...fields })}\n\n`);
  return { executionId: 'x', seq: 1, sse, endings: undefined };
}

function rawPiece(text: string) {
  return eventPiece({ data: new TextEncoder().encode(text).toBase64(), encoding: 'base64' });
}

/** The parts of a hub that serve tails. */
function hub(broker: LocalBroker, hubId: string) {
  const clock = new HandClock();
  const bus = broker.bus();
  const tails = new Tails(clock);
  const random = { uuid: () => crypto.randomUUID(), bytes: () => new Uint8Array() };
  const remote = new RemoteTails(bus, { clock, tails, random });
  bus.join(hubId);
  const readers = new TailReaders(tails, remote);
  const open = (filter: TailFilter = {}, callerId = 'ada') => {
    const reader = readers.open({ workspaceId: 'w', callerId, filter });
    return { reader, stop: () => reader.stop() };
  };
  const print = (text: string, of = execution()) => {
    tails.receive(of, piece(text));
    clock.move(100);
  };
  return { clock, bus, tails, readers, open, print };
}

/** Whether the next piece of output is read. */
function isRead(tails: Tails): boolean {
  let reads = 0;
  const watched = piece('x\n');
  const { sse } = watched;
  const get = () => {
    reads += 1;
    return sse;
  };
  Object.defineProperty(watched, 'sse', { get });
  tails.receive(execution({ slug: 'deploy', callerKind: 'api_key', callerId: 'k' }), watched);
  return reads > 0;
}

const dataOf = (batch: TailBatch | undefined) => batch?.lines.map(({ data }) => data);

describe('a tail', () => {
  test('has the lines of all executions of its workspace, with execution and endpoint, in one batch', async () => {
    const { tails, open, clock } = hub(new LocalBroker(), 'one');
    const { reader } = open();
    const [deploy, build] = [execution({ slug: 'deploy' }), execution({ slug: 'build' })];
    tails.receive(deploy, piece('a\n'));
    tails.receive(build, piece('b\n'));
    tails.receive(execution({ workspaceId: 'other' }), piece('secret\n'));
    clock.move(100);
    expect(await reader.next()).toEqual({
      lines: [
        { executionId: deploy.id, endpoint: 'deploy', data: 'a' },
        { executionId: build.id, endpoint: 'build', data: 'b' },
      ],
      dropped: 0,
    });
  });

  test('leaves out lines that its filter excludes, and the JSON of a result', async () => {
    const { tails, open, print } = hub(new LocalBroker(), 'one');
    const { reader } = open({ slug: 'deploy', text: 'ERR' });
    tails.receive(execution({ slug: 'deploy' }), piece('{"err":1}\n', RESULT_PIECE));
    print('err of build\n', execution({ slug: 'build' }));
    print('fine\nan Error\n', execution({ slug: 'deploy' }));
    expect(dataOf(await reader.next())).toEqual(['an Error']);
  });

  test('reads no more of the output than its share; all lines beyond it count as dropped', async () => {
    const { tails, open, clock } = hub(new LocalBroker(), 'one');
    const { reader } = open({ text: 'no line has this' });
    const lines = 'x\n'.repeat(1_000);
    for (let n = 0; n < 100; n += 1) tails.receive(execution(), piece(lines));
    clock.move(100);
    const { dropped = 0 } = (await reader.next()) ?? {};
    expect(dropped).toBeGreaterThan(90_000);
    expect(dropped).toBeLessThan(100_000);
  });

  test('counts the lines beyond its limits', async () => {
    const { tails, open, clock } = hub(new LocalBroker(), 'one');
    const { reader } = open();
    const lines = 'x\n'.repeat(1_000);
    for (let n = 0; n < 100; n += 1) tails.receive(execution(), piece(lines));
    clock.move(100);
    const batch = await reader.next();
    expect(batch?.lines).toHaveLength(300);
    expect(batch?.dropped).toBe(100_000 - 300);
    tails.receive(execution(), piece('later\n'));
    clock.move(100);
    expect(dataOf(await reader.next())).toEqual(['later']);
  });

  test('buffers a bounded number of lines for a reader that takes none', async () => {
    const { tails, open, clock } = hub(new LocalBroker(), 'one');
    const { reader } = open();
    for (let n = 0; n < 50; n += 1) {
      tails.receive(execution(), piece('y\n'.repeat(300)));
      clock.move(100);
    }
    const batch = await reader.next();
    expect(batch?.lines).toHaveLength(2_000);
    expect(batch?.dropped).toBe(50 * 300 - 2_000);
  });

  test('keeps only the lines, and not the pieces of output that they are from', async () => {
    const { tails, open, clock } = hub(new LocalBroker(), 'one');
    const { reader } = open({ text: 'found' });
    const heapBytes = () => {
      Bun.gc(true);
      const { heapSize, extraMemorySize } = heapStats();
      return heapSize + extraMemorySize;
    };
    const before = heapBytes();
    for (let n = 0; n < 100; n += 1) {
      tails.receive(execution(), eventPiece({ data: `found ${n}${'z'.repeat(MIB / 2)}` }));
      clock.move(100);
    }
    expect(heapBytes() - before).toBeLessThan(10 * MIB);
    expect((await reader.next())?.lines).toHaveLength(100);
  });

  test('reads no more lines of raw output than its share, even if each is only a line break', async () => {
    const { tails, open, clock } = hub(new LocalBroker(), 'one');
    const { reader } = open({ text: 'no line has this' });
    tails.receive(execution(), rawPiece('\n'.repeat(10_000)));
    clock.move(100);
    tails.receive(execution(), rawPiece(`${'\n'.repeat(10_000)}no line has this\n`));
    clock.move(100);
    expect(await reader.next()).toEqual({ lines: [], dropped: 1 });
  });

  test('survives bytes that are no events, and counts them', async () => {
    const { tails, open, clock } = hub(new LocalBroker(), 'one');
    const { reader } = open();
    tails.receive(execution(), { executionId: 'x', seq: 1, sse: new Uint8Array([1, 2]), endings: undefined });
    clock.move(100);
    expect(await reader.next()).toEqual({ lines: [], dropped: 1 });
  });

  test('reads nothing when no reader is left', async () => {
    const { tails, open, print } = hub(new LocalBroker(), 'one');
    const { reader } = open();
    reader.stop();
    expect(isRead(tails)).toBe(false);
    print('x\n');
    expect(await reader.next()).toBeUndefined();
  });

  test('is refused to a caller with ten, and each closed one makes room', () => {
    const { open } = hub(new LocalBroker(), 'one');
    const all = Array.from({ length: 10 }, () => open());
    expect(() => open()).toThrow(Refusal);
    open({}, 'bob');
    all[0]?.stop();
    open();
  });

  test('ends when the hub stops', async () => {
    const { open, readers } = hub(new LocalBroker(), 'one');
    const { reader } = open();
    const next = reader.next();
    readers.close();
    expect(await next).toBeUndefined();
    expect(await open().reader.next()).toBeUndefined();
  });
});

describe('a tail of executions at another hub', () => {
  test('has their lines under the same filter, and none after it was closed', async () => {
    const broker = new LocalBroker();
    const [here, there] = [hub(broker, 'here'), hub(broker, 'there')];
    const { reader, stop } = here.open({ slug: 'deploy', keyId: 'k' });
    const own = execution({ slug: 'deploy', callerKind: 'api_key', callerId: 'k' });
    there.print('of another key\n', execution({ slug: 'deploy', callerKind: 'api_key', callerId: 'z' }));
    there.print('ä "b"\n', own);
    expect(await reader.next()).toEqual({
      lines: [{ executionId: own.id, endpoint: 'deploy', data: 'ä "b"' }],
      dropped: 0,
    });
    expect(isRead(there.tails)).toBe(true);
    stop();
    expect(isRead(there.tails)).toBe(false);
    const before = broker.published.length;
    there.clock.move(60_000);
    here.clock.move(60_000);
    expect(broker.published.length).toBe(before);
  });

  test('reaches a hub that starts later, and ends there when its own hub is gone', async () => {
    const broker = new LocalBroker();
    const here = hub(broker, 'here');
    const { reader } = here.open();
    const there = hub(broker, 'there');
    there.print('too early\n');
    here.clock.move(5_000);
    there.print('in time\n');
    expect(dataOf(await reader.next())).toEqual(['in time']);
    // Its repeated requests keep the tail.
    for (let n = 0; n < 10; n += 1) {
      here.clock.move(5_000);
      there.clock.move(5_000);
    }
    there.print('still\n');
    expect(dataOf(await reader.next())).toEqual(['still']);
    here.bus.connect(false);
    there.clock.move(20_000);
    expect(isRead(there.tails)).toBe(false);
  });

  test('counts what is dropped there', async () => {
    const broker = new LocalBroker();
    const [here, there] = [hub(broker, 'here'), hub(broker, 'there')];
    const { reader } = here.open();
    there.print(`${'z'.repeat(4_000)}\n`.repeat((2 * MIB) / 4_000));
    const batch = await reader.next();
    expect(batch?.lines.length).toBeLessThanOrEqual(300);
    expect((batch?.lines.length ?? 0) + (batch?.dropped ?? 0)).toBe(Math.floor((2 * MIB) / 4_000));
  });

  test('is closed only by the hub that asked for it', async () => {
    const broker = new LocalBroker();
    const [here, there] = [hub(broker, 'here'), hub(broker, 'there')];
    const stranger = broker.bus();
    stranger.join('stranger');
    const { reader } = here.open();
    const request = broker.published.find((frame) => frame.type === 'tail');
    if (request?.type !== 'tail') throw new Error('no request');
    stranger.publish('tails', { type: 'untail', tail: request.tail });
    there.print('kept\n');
    expect(dataOf(await reader.next())).toEqual(['kept']);
  });
});
