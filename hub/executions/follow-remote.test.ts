import { describe, expect, test } from 'bun:test';
import { lostBecause } from '@svc/core/execution/outcome';
import fc from 'fast-check';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import { MovingAgents } from '../agents/moving-agents.ts';
import { LocalBroker } from '../platform/bus/fixtures/local-bus.ts';
import { newExecution } from '../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../platform/db/fixtures/stores.ts';
import { EventStream } from '../platform/event-stream.ts';
import { HandClock } from '../platform/fixtures/hand-clock.ts';
import { type Followed, followExecution } from './follow-execution.ts';
import { ChangeWaiters } from './live/change-waiters.ts';
import { RunningExecutions } from './live/running-executions.ts';
import { FEED_WINDOW_BYTES, FeedSource } from './remote/feed-source.ts';
import { RemoteAgents } from './remote/remote-agents.ts';
import { RemoteHubs } from './remote/remote-hubs.ts';

const store = storeOfTests();

const bug = (error: unknown) => {
  throw error;
};

/** A hub as far as it runs executions or follows them; its agents are what the test plays. */
function hub(broker: LocalBroker, hubId: string) {
  const clock = new HandClock();
  const bus = broker.bus();
  const acknowledged: number[] = [];
  const agents = {
    acknowledge: (_to, _id, seq) => void acknowledged.push(seq),
    acknowledgeEnd: () => undefined,
  } as Partial<AgentDirectory> as AgentDirectory;
  const changes = new ChangeWaiters(clock);
  const events = new EventStream(bug);
  const executions = new RunningExecutions(
    { ledger: store().executions, clock, agents, alertsOf: () => Promise.resolve([]), events },
    { trouble: (_id, error) => bug(error) },
  );
  const known = new RemoteAgents({ knownAgents: store().agents, knownHosts: store().hosts }, hubId);
  const random = { uuid: () => crypto.randomUUID() } as ConstructorParameters<typeof RemoteHubs>[1]['random'];
  const remoteHubs = new RemoteHubs(bus, { moving: new MovingAgents(clock), random, agents: known });
  const feeds = new FeedSource(bus, clock, bug);
  bus.answer(async (frame, from) => {
    const live = 'executionId' in frame ? executions.find(frame.executionId)?.live : undefined;
    if (frame.type === 'follow' && live !== undefined)
      return { type: 'feeds', fed: feeds.open(live, frame.feed, from) };
    if (frame.type === 'fed') feeds.fed(frame.feed, frame.bytes);
    if (frame.type === 'unfollow') feeds.close(frame.feed);
    return undefined;
  });
  bus.join(hubId);
  return { hubId, clock, bus, acknowledged, changes, executions, remoteHubs, ledger: store().executions };
}

async function two() {
  const broker = new LocalBroker();
  const [here, there] = [hub(broker, 'here'), hub(broker, 'there')];
  const execution = newExecution({ hubId: 'there', agentName: 'a', agentInstance: 'i' });
  await store().executions.accept(execution);
  const { live } = there.executions.take(execution, undefined);
  const follow = (afterSeq = 0) =>
    followExecution(here, { id: execution.id, state: 'running', hubId: 'there' }, afterSeq);
  return { broker, here, there, live, follow, execution };
}

const ENDING = { kind: 'exited', exit_code: 0, duration_ms: 1 } as const;
const piece = (executionId: string, seq: number, bytes: number) => ({
  executionId,
  seq,
  sse: new Uint8Array(bytes).fill(seq % 256),
  endings: undefined,
});

/** Lets what is under way go on, and time pass at both, until it is so. */
async function until(clocks: readonly HandClock[], isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise((resolve) => setImmediate(resolve));
    for (const clock of clocks) clock.move(50);
  }
}

describe('an execution of another hub', () => {
  test('that has ended is read from the record, also where it was taken over and lost meanwhile', async () => {
    const { here, there, live, execution } = await two();
    here.executions.take(execution, undefined);
    live.receive(piece(execution.id, 1, 10));
    live.end(ENDING, 1);
    await until([there.clock], () => there.executions.find(execution.id) === undefined);
    const recorded = await there.ledger.find(execution.id);
    if (recorded === undefined) throw new Error('the execution is not on record');
    const read: string[] = [];
    for await (const { kind } of followExecution(here, recorded, 0)) read.push(kind);
    expect(read).toEqual(['output', 'ended']);
  });

  test('is read whole and in order, whatever of its feed is lost on the way', async () => {
    const step = fc.record({ bytes: fc.integer({ min: 1, max: 40_000 }), isLost: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat({ max: 9 }), async (steps, rarity) => {
        const { broker, here, there, live, follow, execution } = await two();
        const lost = steps.map(({ isLost }) => isLost).reverse();
        broker.loses = () => rarity < 5 && lost.pop() === true;
        const read: number[] = [];
        let end: Followed | undefined;
        const reading = (async () => {
          for await (const next of follow()) {
            if (next.kind === 'output') read.push(...next.chunks.map(({ seq }) => seq));
            else end = next;
          }
        })();
        for (const [at, { bytes }] of steps.entries()) {
          live.receive(piece(execution.id, at + 1, bytes));
          if (at % 7 === rarity) await until([there.clock, here.clock], () => true);
        }
        live.end(ENDING, 1);
        await until([there.clock, here.clock], () => end !== undefined);
        await reading;
        expect(read).toEqual(steps.map((_, at) => at + 1));
        expect(end).toMatchObject({ kind: 'ended', ended: { state: 'succeeded' } });
      }),
      { numRuns: process.env.SVC_TEST_LONG === '1' ? 500 : 40 },
    );
  }, 120_000);

  test('is paced by a slow reader here: no more is sent than its window', async () => {
    const { there, live, follow, execution, here } = await two();
    let sent = 0;
    const feed = there.bus.feed.bind(there.bus);
    there.bus.feed = (id, message) => {
      sent += message.length;
      feed(id, message);
    };
    const following = follow();
    const reading = following[Symbol.asyncIterator]();
    const first = reading.next();
    const bytes = 256 * 1024;
    const pieces = 28;
    for (let seq = 1; seq <= pieces; seq += 1) live.receive(piece(execution.id, seq, bytes));
    const seqsOf = (result: IteratorResult<Followed>) =>
      (result.value as Extract<Followed, { kind: 'output' }>).chunks.map(({ seq }) => seq);
    let read: number[] = [];
    void first.then((result) => (read = seqsOf(result)));
    await until([here.clock], () => read.length > 0);
    // The read bytes made room for as many.
    await until([here.clock], () => sent > FEED_WINDOW_BYTES);
    expect(sent).toBeLessThanOrEqual(2 * FEED_WINDOW_BYTES + pieces * 100);
    expect(Math.max(0, ...there.acknowledged)).toBeLessThan(pieces);
    live.end(ENDING, 1);
    let isOver = false;
    const rest = (async () => {
      for (;;) {
        const next = await reading.next();
        if (next.done === true || next.value.kind !== 'output') break;
        read.push(...seqsOf(next));
      }
      isOver = true;
    })();
    await until([here.clock, there.clock], () => isOver);
    await rest;
    expect(read).toEqual(Array.from({ length: pieces }, (_, at) => at + 1));
  });

  test('is read from the record when its hub has stopped, and then from the hub that took it over', async () => {
    const { here, there, live, follow, execution } = await two();
    const read: number[] = [];
    let isOver = false;
    void (async () => {
      for await (const next of follow())
        if (next.kind === 'output') read.push(...next.chunks.map(({ seq }) => seq));
      isOver = true;
    })();
    live.receive(piece(execution.id, 1, 10));
    await until([here.clock, there.clock], () => read.length === 1);
    there.bus.connect(false);
    live.receive(piece(execution.id, 2, 10));
    await until([here.clock, there.clock], () => read.length === 2);
    // Its agent has come here.
    expect(await store().executions.claim(execution.id, 'there', 'here')).toBe(true);
    const now = await store().executions.find(execution.id);
    if (now === undefined) throw new Error('it is on record');
    const mine = here.executions.take(now, undefined).live;
    mine.receive(piece(execution.id, 3, 10));
    void mine.end(ENDING, 1);
    await until([here.clock], () => isOver);
    expect(read).toEqual([1, 2, 3]);
  });

  test('that ended there while it was declared lost here is read to its real end', async () => {
    const { here, there, execution } = await two();
    const mine = here.executions.take({ ...execution, hubId: 'here' }, undefined).live;
    const follower = followExecution(here, { id: execution.id, state: 'running', hubId: 'here' }, 0);
    const read: number[] = [];
    let end: Followed | undefined;
    void (async () => {
      for await (const next of follower) {
        if (next.kind === 'output') read.push(...next.chunks.map(({ seq }) => seq));
        else end = next;
      }
    })();
    mine.receive(piece(execution.id, 1, 10));
    await until([here.clock], () => read.length === 1);
    const theirs = there.executions.find(execution.id)?.live;
    for (const seq of [1, 2]) theirs?.receive(piece(execution.id, seq, 10));
    theirs?.end(ENDING, 1);
    await theirs?.ended;
    mine.finish(lostBecause('its agent was away'), 2);
    await until([here.clock, there.clock], () => end !== undefined);
    expect(read).toEqual([1, 2]);
    expect(end).toMatchObject({ kind: 'ended', ended: { state: 'succeeded' } });
  });
});
