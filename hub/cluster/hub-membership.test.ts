import { describe, expect, test } from 'bun:test';
import type { HubEvent } from '@svc/core/event/hub-event';
import { type LiveEventBundle, SharedEventBus } from '../events/event-bus.ts';
import { LocalBroker } from '../platform/bus/fixtures/local-bus.ts';
import { EventStream } from '../platform/event-stream.ts';
import { HandClock } from '../platform/fixtures/hand-clock.ts';
import { HubMembership } from './hub-membership.ts';
import { Invalidations } from './invalidations.ts';

function hub(broker: LocalBroker, id: string) {
  const clock = new HandClock();
  const bus = broker.bus();
  const membership = new HubMembership(bus, clock);
  const eventBus = new SharedEventBus(bus, membership);
  const invalidations = new Invalidations(bus, membership, clock);
  const join = () => bus.join(id);
  return { clock, bus, membership, eventBus, invalidations, join };
}

function two() {
  const broker = new LocalBroker();
  const [one, other] = [hub(broker, 'one'), hub(broker, 'other')];
  one.join();
  other.join();
  return { broker, one, other };
}

const BUNDLE: LiveEventBundle = [{ kind: 'agent', agentName: 'a', isConnected: true }];

describe('hubs that are on the bus', () => {
  test('know each other, whichever came first, until one leaves', () => {
    const { one, other } = two();
    expect([one.membership.others, other.membership.others]).toEqual([['other'], ['one']]);
    other.membership.leave();
    expect(one.membership.others).toEqual([]);
  });

  test('forget one that has left, although it publishes until it has stopped, and know it again after its restart', () => {
    const { one, other } = two();
    const stop = other.eventBus.subscribe('w', () => {});
    other.membership.leave();
    void other.bus.close();
    stop();
    other.bus.publish('all', { type: 'agents', workspaceIds: ['w'] });
    one.bus.publish('all', { type: 'here', workspaces: [], isFirst: true, asks: true });
    expect([one.membership.others, one.eventBus.hasListener('w')]).toEqual([[], false]);
    // It has the same id.
    other.join();
    expect(one.membership.others).toEqual(['other']);
  });

  test('know who listens to what, also from before they came', () => {
    const broker = new LocalBroker();
    const [one, late] = [hub(broker, 'one'), hub(broker, 'late')];
    one.join();
    const stop = one.eventBus.subscribe('w', () => {});
    const stopToo = one.eventBus.subscribe('w', () => {});
    late.join();
    expect([late.eventBus.hasListener('w'), late.eventBus.hasListener('v')]).toEqual([true, false]);
    stop();
    expect(late.eventBus.hasListener('w')).toBe(true);
    stopToo();
    expect([late.eventBus.hasListener('w'), one.eventBus.hasListener('w')]).toEqual([false, false]);
  });

  test('forget one that is silent, not one that is only quiet', () => {
    const { one, other } = two();
    other.eventBus.subscribe('w', () => {});
    for (let round = 0; round < 10; round += 1) for (const { clock } of [other, one]) clock.move(10_000);
    expect([one.membership.others, one.eventBus.hasListener('w')]).toEqual([['other'], true]);
    for (let round = 0; round < 4; round += 1) one.clock.move(10_000);
    expect([one.membership.others, one.eventBus.hasListener('w')]).toEqual([[], false]);
  });

  test('know nothing of each other while the bus is lost, and everything when it is back', () => {
    const { one, other } = two();
    other.eventBus.subscribe('w', () => {});
    one.bus.connect(false);
    expect([one.membership.others, one.eventBus.hasListener('w')]).toEqual([[], false]);
    one.bus.connect(true);
    expect([one.membership.others, one.eventBus.hasListener('w')]).toEqual([['other'], true]);
  });
});

describe('live events', () => {
  test('reach listeners at this hub and at others once, and are sent to no hub without listeners', () => {
    const { broker, one, other } = two();
    const received: [string, LiveEventBundle][] = [];
    one.eventBus.subscribe('w', (bundle) => received.push(['one', bundle]));
    other.eventBus.subscribe('w', (bundle) => received.push(['other', bundle]));
    one.eventBus.publish('w', BUNDLE);
    expect(received).toEqual([
      ['one', BUNDLE],
      ['other', BUNDLE],
    ]);
    const before = broker.published.length;
    one.eventBus.publish('v', BUNDLE);
    expect(broker.published).toHaveLength(before);
  });

  test('that were missed while the bus was lost are reported as missing', () => {
    const { one, other } = two();
    const received: LiveEventBundle[] = [];
    other.eventBus.subscribe('w', (bundle) => received.push(bundle));
    other.bus.connect(false);
    one.eventBus.publish('w', BUNDLE);
    other.bus.connect(true);
    expect(received).toEqual(['overfull']);
  });
});

describe('hints', () => {
  test('of changes are gathered, and split where they are many', () => {
    const { broker, one } = two();
    const ids = Array.from({ length: 2_500 }, (_, at) => `e${at}`);
    for (const id of ids) one.invalidations.changed(id);
    one.clock.move(5);
    const changed = broker.published.flatMap((frame) => (frame.type === 'changed' ? [frame.ids] : []));
    expect([changed.map(({ length }) => length), changed.flat()]).toEqual([[1_000, 1_000, 500], ids]);
  });

  test('need other hubs: without any, nothing is published and nothing delays the call', async () => {
    const broker = new LocalBroker();
    const alone = hub(broker, 'alone');
    alone.join();
    const before = broker.published.length;
    alone.invalidations.changed('e');
    alone.invalidations.forgotten({ kind: 'key', id: 'k' });
    alone.invalidations.cancelRequested('e');
    alone.clock.move(5);
    await alone.invalidations.reviewed();
    expect(broker.published).toHaveLength(before);
  });

  test('of a revocation are acknowledged by each hub after it has checked', async () => {
    const { one, other } = two();
    const polled = Promise.withResolvers<void>();
    other.bus.answer(async () => {
      await polled.promise;
      return { type: 'done' };
    });
    let isAnswered = false;
    const reviewed = one.invalidations.reviewed().then(() => {
      isAnswered = true;
    });
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    expect(isAnswered).toBe(false);
    polled.resolve();
    await reviewed;
  });
});

test('a hub tells others which states have changed in its store, and repeats nothing that others told it', () => {
  const { broker, one } = two();
  const stream = new EventStream((error) => {
    throw error;
  });
  one.invalidations.subscribe(stream);
  const events = [
    { kind: 'execution_started', execution: { id: 'started' } },
    { kind: 'execution_withdrawn', executionId: 'withdrawn' },
    { kind: 'approval_closed', approval: { executionId: 'decided' } },
    { kind: 'run_changed', run: { id: 'run' } },
    { kind: 'execution_ended', execution: { id: 'step', step: { runId: 'run' } } },
    { kind: 'execution_ended', execution: { id: 'call' } },
    { kind: 'changed_elsewhere', ids: ['remote'] },
  ] as HubEvent[];
  for (const event of events) stream.publish(event);
  one.clock.move(5);
  const ids = ['started', 'withdrawn', 'decided', 'run', 'step'];
  expect(broker.published.filter(({ type }) => type === 'changed')).toEqual([{ type: 'changed', ids }]);
});
