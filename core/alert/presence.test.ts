import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { onAbsence, onConnected, onGone, type Presence, type PresenceChange } from './presence.ts';

const WINDOW_MS = 120_000;
const HERE = { instance: 'i1', hubId: 'h1' };

/** The alerts of an agent after a series of changes. */
class TestAgent {
  presence: Presence | undefined;
  readonly alerts: string[] = [];

  take(change: PresenceChange | undefined): void {
    if (change === undefined) return;
    this.presence = change.presence;
    if (change.alert !== undefined) this.alerts.push(change.alert);
  }
}

test('an agent that reconnects within the window was never offline', () => {
  const agent = new TestAgent();
  agent.take(onConnected(agent.presence, HERE, 0));
  for (let atMs = 1; atMs < 10; atMs += 1) {
    agent.take(onGone(agent.presence, HERE, atMs * WINDOW_MS));
    agent.take(onAbsence(agent.presence, atMs * WINDOW_MS - 1));
    agent.take(onConnected(agent.presence, HERE, atMs * WINDOW_MS + 10));
  }
  expect(agent.alerts).toEqual(['agent.online']);
});

test('an agent that stays away is offline once, since its disconnect, and online once when it is back', () => {
  const agent = new TestAgent();
  agent.take(onConnected(undefined, HERE, 0));
  agent.take(onGone(agent.presence, HERE, 500));
  for (const untilMs of [499, 500, 501, 9_000]) agent.take(onAbsence(agent.presence, untilMs));
  expect(agent.alerts).toEqual(['agent.online', 'agent.offline']);
  expect(agent.presence).toMatchObject({ state: 'offline', sinceMs: 500 });
  agent.take(onConnected(agent.presence, HERE, 10_000));
  expect(agent.alerts).toEqual(['agent.online', 'agent.offline', 'agent.online']);
});

test('a name is online while one of its processes is; reports of an earlier hub about a process are ignored', () => {
  const agent = new TestAgent();
  const other = { instance: 'i2', hubId: 'h1' };
  for (const process of [HERE, other]) agent.take(onConnected(agent.presence, process, 0));
  agent.take(onGone(agent.presence, HERE, 1));
  expect(agent.presence?.state).toBe('online');
  agent.take(onConnected(agent.presence, { ...other, hubId: 'h2' }, 2));
  agent.take(onGone(agent.presence, other, 3));
  expect(agent.presence).toMatchObject({ state: 'online', processes: [{ instance: 'i2', hubId: 'h2' }] });
});

test('alerts alternate between online and offline in every order of changes', () => {
  const step = fc.record({
    kind: fc.constantFrom('connected', 'gone', 'absence'),
    instance: fc.constantFrom('i1', 'i2'),
    hubId: fc.constantFrom('h1', 'h2'),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const agent = new TestAgent();
      steps.forEach(({ kind, instance, hubId }, nowMs) => {
        const process = { instance, hubId };
        if (kind === 'connected') agent.take(onConnected(agent.presence, process, nowMs));
        else if (kind === 'gone') agent.take(onGone(agent.presence, process, nowMs));
        else agent.take(onAbsence(agent.presence, nowMs));
      });
      const inTurn = agent.alerts.map((_, index) => (index % 2 === 0 ? 'agent.online' : 'agent.offline'));
      expect(agent.alerts).toEqual(inTurn);
      if (agent.presence?.state !== 'online') expect(agent.presence?.processes ?? []).toEqual([]);
    }),
  );
});
