import { describe, expect, test } from 'bun:test';
import type { LiveEvent } from '@svc/core/live-event/live-event';
import { Refusal } from '@svc/core/refusal';
import type { Role } from '@svc/core/workspace/permissions';
import { HandClock } from '../platform/fixtures/hand-clock.ts';
import { LocalEventBus } from './event-bus.ts';
import { EventFeeds } from './event-feeds.ts';
import type { FeedListener } from './workspace-feed.ts';

function world() {
  const clock = new HandClock();
  const bus = new LocalEventBus();
  let names = 0;
  const eventFeeds = new EventFeeds({ clock, bus, newName: () => `n${++names}` });
  const listen = ({ role = 'owner' as Role, after = undefined as string | undefined, userId = 'u' } = {}) =>
    eventFeeds.listen({ workspaceId: 'w', userId, role, after });
  const publish = (event: LiveEvent, workspaceId = 'w') => {
    eventFeeds.publish(workspaceId, event);
    clock.move(100);
  };
  return { clock, bus, eventFeeds, listen, publish };
}

const agent = (agentName: string): LiveEvent => ({ kind: 'agent', agentName, isConnected: true });
const secret: LiveEvent = {
  kind: 'change',
  action: 'secret.set',
  target: { kind: 'secret', id: 's', name: 'S' },
};

async function receivedBy(listener: FeedListener): Promise<{ id: string; type: string }[]> {
  const frames = (await listener.next()) ?? '';
  return [...frames.matchAll(/^id: (\S+)\ndata: (.*)\n\n/gm)].map(([, id = '', data = '']) => ({
    id,
    ...(JSON.parse(data) as { type: string }),
  }));
}

describe('event feeds', () => {
  test('receive the events of their workspace from the subscription on, and of no other workspace', async () => {
    const { listen, publish } = world();
    publish(agent('before'));
    const listener = listen();
    expect(await receivedBy(listener)).toEqual([{ id: 'n1-0', type: 'ready' }]);
    publish(agent('elsewhere'), 'other');
    publish(agent('a'));
    publish(agent('b'));
    expect(await receivedBy(listener)).toMatchObject([
      { id: 'n1-1', agent_name: 'a' },
      { id: 'n1-2', agent_name: 'b' },
    ]);
  });

  test('build no event without a listener', () => {
    const { eventFeeds, listen } = world();
    const refuse = () => {
      throw new Error('made');
    };
    eventFeeds.publish('w', refuse);
    listen();
    expect(() => eventFeeds.publish('w', refuse)).toThrow('made');
  });

  test('wake the waiting listener, and filter events by role', async () => {
    const { listen, publish } = world();
    const [owner, member] = [listen(), listen({ role: 'member' })];
    await Promise.all([receivedBy(owner), receivedBy(member)]);
    const waiting = [receivedBy(owner), receivedBy(member)];
    publish(secret);
    publish(agent('a'));
    expect((await waiting[0])?.map(({ type }) => type)).toEqual(['change', 'agent']);
    expect((await waiting[1])?.map(({ type }) => type)).toEqual(['agent']);
  });

  test('continue behind the last event after a short absence, and start again after a long one', async () => {
    const { listen, publish, clock } = world();
    const first = listen();
    await receivedBy(first);
    publish(agent('a'));
    const [received] = await receivedBy(first);
    first.stop();
    publish(agent('b'));
    const id = received?.id ?? '';
    const again = listen({ after: id });
    expect(await receivedBy(again)).toMatchObject([{ agent_name: 'b' }]);
    again.stop();
    clock.move(60_000);
    for (const after of [id, 'n1-999', 'n1-x', 'other', 'n1-1-1'])
      expect((await receivedBy(listen({ after }))).map(({ type }) => type)).toEqual(['reset']);
  });

  test('resets a reader that is further behind than its buffer, and keeps nothing more for it', async () => {
    const { listen, publish } = world();
    const slow = listen();
    await receivedBy(slow);
    for (let at = 0; at < 1_500; at += 1) publish(agent(`a${at}`));
    expect((await receivedBy(slow)).map(({ type }) => type)).toEqual(['reset']);
    publish(agent('z'));
    expect(await receivedBy(slow)).toMatchObject([{ agent_name: 'z' }]);
  });

  test('reset all listeners when more has changed than the batch can hold', async () => {
    const { listen, eventFeeds, clock } = world();
    const listener = listen();
    await receivedBy(listener);
    for (let at = 0; at < 300; at += 1) eventFeeds.publish('w', agent(`a${at}`));
    clock.move(100);
    expect((await receivedBy(listener)).map(({ type }) => type)).toEqual(['reset']);
  });

  test('forgets a workspace a minute after the last one has left, and stops hearing of it', () => {
    const { listen, bus, clock } = world();
    const listener = listen();
    listener.stop();
    clock.move(59_999);
    expect(bus.hasListener('w')).toBe(true);
    clock.move(1);
    expect(bus.hasListener('w')).toBe(false);
  });

  test('stay open when a listener returns in time', () => {
    const { listen, bus, clock } = world();
    listen().stop();
    listen();
    clock.move(120_000);
    expect(bus.hasListener('w')).toBe(true);
  });

  test('allow one person 30 streams, and each closed one makes room', () => {
    const { listen } = world();
    const open = Array.from({ length: 30 }, () => listen());
    expect(() => listen()).toThrow(Refusal);
    listen({ userId: 'other' });
    open[0]?.stop();
    listen();
  });

  test('ends all that listen when it closes, and who comes after', async () => {
    const { listen, eventFeeds } = world();
    const listener = listen();
    await receivedBy(listener);
    const next = listener.next();
    eventFeeds.close();
    expect(await next).toBeUndefined();
    const late = listen();
    await late.next();
    expect(await late.next()).toBeUndefined();
  });
});
