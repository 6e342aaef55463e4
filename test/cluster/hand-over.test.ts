// A call is forwarded to the hub of its agent before it is recorded: a client of the bus can neither read one, nor make one,
// nor have one run again.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BusFrameOf } from '@svc/core/bus/frame';
import { postOf } from '../pipelines.ts';
import { until } from '../until.ts';
import { clusterMissing, strangerOn, type TwoHubs, twoHubs, untilOnline } from './hubs.ts';

const ENDPOINTS = [
  { name: 'job', command: 'true {{word}}', args: [{ name: 'word' }] },
  { name: 'once', command: 'true' },
];
const WORD = 'nobody-reads-this';

describe.skipIf(clusterMissing !== undefined)('a call that is given to the hub of its agent', () => {
  let hubs: TwoHubs;
  let stranger: Awaited<ReturnType<typeof strangerOn>>;
  let hubId: string;
  /** The calls that went over the bus. */
  const received: BusFrameOf<'call'>[] = [];
  beforeAll(async () => {
    hubs = await twoHubs();
    hubId = readFileSync(join(hubs.other.dataDir, 'hub.id'), 'utf8').trim();
    stranger = await strangerOn(hubs.nats);
    stranger.bus.subscribe(`hub.${hubId}.calls`, (frame) => {
      if (frame.type === 'call') received.push(frame);
    });
    // Everything published after this reaches it.
    await answerTo({});
  }, 60_000);
  afterAll(async () => {
    await stranger[Symbol.asyncDispose]();
    await hubs[Symbol.asyncDispose]();
  }, 60_000);

  async function connected() {
    const instance = crypto.randomUUID();
    const agent = await hubs.other.agent({ endpoints: ENDPOINTS, instance });
    await untilOnline(hubs.one, instance);
    return agent;
  }

  /** The hub's answer to a stranger who sends this. */
  async function answerTo(frame: Partial<BusFrameOf<'call'>>): Promise<unknown> {
    const whole = {
      sealed: '',
      executionId: crypto.randomUUID(),
      workspaceId: crypto.randomUUID(),
      ...frame,
    };
    const asked = await stranger.bus.ask(hubId, { ...whole, type: 'call' }, 5_000);
    return asked.kind === 'answered' && asked.frame.type === 'called' ? asked.frame.outcome : asked;
  }

  /** The call that was given to the hub, from its first to its last word. */
  async function receivedCall(
    agent: Awaited<ReturnType<typeof connected>>,
    slug: string,
    init?: RequestInit,
  ) {
    received.length = 0;
    const calling = hubs.one.call(slug, init);
    await agent.answer('done\n');
    expect((await calling).status).toBe(200);
    await until(() => received.length > 0);
    return received[0] as BusFrameOf<'call'>;
  }

  test('is read by no other client of the bus', async () => {
    await using agent = await connected();
    const text = JSON.stringify(await receivedCall(agent, 'job', postOf({ word: WORD })));
    expect(text).not.toContain(WORD);
    expect(text).not.toContain(hubs.one.start.apiKey);
  });

  test('runs once, however often its frame is repeated, while it runs and after its end', async () => {
    await using agent = await connected();
    received.length = 0;
    const calling = hubs.one.call('once');
    const { execution_id: id } = await agent.receive('run');
    await until(() => received.length === 1);
    const again = async () => {
      for (const frame of Array.from({ length: 20 }, () => received[0] as BusFrameOf<'call'>))
        stranger.bus.publish(`hub.${hubId}.calls`, frame);
      // The hub answers this request after it has read all earlier frames.
      await answerTo({});
    };
    await again();
    agent.end(id, 0);
    expect((await calling).status).toBe(200);
    await again();
    const second = hubs.one.call('once');
    const { execution_id: secondId } = await agent.receive('run');
    expect(secondId).not.toBe(id);
    agent.end(secondId, 0);
    expect((await second).status).toBe(200);
    await agent.receive('ended_ack', ({ execution_id }) => execution_id === secondId);
    expect(agent.unread('run')).toBe(0);
  });

  test('is left alone when no hub has sealed it, or not for this hub and this id', async () => {
    await using agent = await connected();
    const frame = await receivedCall(agent, 'once');
    const left = { as: 'left' };
    expect(await answerTo({ ...frame, sealed: '' })).toEqual(left);
    expect(await answerTo({ ...frame, sealed: frame.sealed.slice(0, -4) })).toEqual(left);
    expect(await answerTo({ ...frame, executionId: crypto.randomUUID() })).toEqual(left);
    expect(await answerTo({ ...frame, workspaceId: crypto.randomUUID() })).toEqual(left);
    expect(agent.unread('run')).toBe(0);
  });

  test('is left alone after ten minutes, whether its record is still there or not', async () => {
    await using agent = await connected();
    const frame = await receivedCall(agent, 'once');
    hubs.other.clock.move(10 * 60 * 1000 + 1);
    expect(await answerTo(frame)).toEqual({ as: 'left' });
    expect(agent.unread('run')).toBe(0);
  });
});
