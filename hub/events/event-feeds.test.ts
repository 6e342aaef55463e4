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
  const tell = (news: LiveEvent, workspaceId = 'w') => {
    eventFeeds.publish(workspaceId, news);
    clock.move(100);
  };
  return { clock, bus, eventFeeds, listen, tell };
}

const agent = (agentName: string): LiveEvent => ({ kind: 'agent', agentName, isConnected: true });
const secret: LiveEvent = {
  kind: 'change',
  action: 'secret.set',
  target: { kind: 'secret', id: 's', name: 'S' },
};

async function heard(listener: FeedListener): Promise<{ id: string; type: string }[]> {
  const frames = (await listener.next()) ?? '';
  return [...frames.matchAll(/^id: (\S+)\ndata: (.*)\n\n/gm)].map(([, id = '', data = '']) => ({
    id,
    ...(JSON.parse(data) as { type: string }),
  }));
}

describe('a newsroom', () => {
  test('tells of its workspace what happens after somebody began to listen, and of no other', async () => {
    const { listen, tell } = world();
    tell(agent('before'));
    const listener = listen();
    expect(await heard(listener)).toEqual([{ id: 'n1-0', type: 'ready' }]);
    tell(agent('elsewhere'), 'other');
    tell(agent('a'));
    tell(agent('b'));
    expect(await heard(listener)).toMatchObject([
      { id: 'n1-1', agent_name: 'a' },
      { id: 'n1-2', agent_name: 'b' },
    ]);
  });

  test('makes nothing where nobody listens', () => {
    const { eventFeeds, listen } = world();
    const refuse = () => {
      throw new Error('made');
    };
    eventFeeds.publish('w', refuse);
    listen();
    expect(() => eventFeeds.publish('w', refuse)).toThrow('made');
  });

  test('wakes whoever waits, and tells a role what it may know', async () => {
    const { listen, tell } = world();
    const [owner, member] = [listen(), listen({ role: 'member' })];
    await Promise.all([heard(owner), heard(member)]);
    const waiting = [heard(owner), heard(member)];
    tell(secret);
    tell(agent('a'));
    expect((await waiting[0])?.map(({ type }) => type)).toEqual(['change', 'agent']);
    expect((await waiting[1])?.map(({ type }) => type)).toEqual(['agent']);
  });

  test('goes on behind the last event of who was away for a moment, and begins anew for who was away for long', async () => {
    const { listen, tell, clock } = world();
    const first = listen();
    await heard(first);
    tell(agent('a'));
    const [told] = await heard(first);
    first.stop();
    tell(agent('b'));
    const id = told?.id ?? '';
    const again = listen({ after: id });
    expect(await heard(again)).toMatchObject([{ agent_name: 'b' }]);
    again.stop();
    clock.move(60_000);
    for (const after of [id, 'n1-999', 'n1-x', 'other', 'n1-1-1'])
      expect((await heard(listen({ after }))).map(({ type }) => type)).toEqual(['reset']);
  });

  test('resets who is further behind than it remembers, and holds no more for them', async () => {
    const { listen, tell } = world();
    const slow = listen();
    await heard(slow);
    for (let at = 0; at < 1_500; at += 1) tell(agent(`a${at}`));
    expect((await heard(slow)).map(({ type }) => type)).toEqual(['reset']);
    tell(agent('z'));
    expect(await heard(slow)).toMatchObject([{ agent_name: 'z' }]);
  });

  test('resets everybody when more has changed than can be told', async () => {
    const { listen, eventFeeds, clock } = world();
    const listener = listen();
    await heard(listener);
    for (let at = 0; at < 300; at += 1) eventFeeds.publish('w', agent(`a${at}`));
    clock.move(100);
    expect((await heard(listener)).map(({ type }) => type)).toEqual(['reset']);
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

  test('keeps a workspace while somebody is back', () => {
    const { listen, bus, clock } = world();
    listen().stop();
    listen();
    clock.move(120_000);
    expect(bus.hasListener('w')).toBe(true);
  });

  test('lets one person have 30 streams, and each that ends makes room', () => {
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
    await heard(listener);
    const next = listener.next();
    eventFeeds.close();
    expect(await next).toBeUndefined();
    const late = listen();
    await late.next();
    expect(await late.next()).toBeUndefined();
  });
});
