import { expect, test } from 'bun:test';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import { HandClock } from '../platform/fixtures/hand-clock.ts';
import { ExecutionQueue, type QueueDeps } from './queue.ts';
import type { HostOutcome } from './queue-entries.ts';

const UNTIL_MS = 30_000;

/** A queue, and hosts with free slots by instance. Calls of the hosted runner enter by name, and each attempt is in `tried`. */
function world(slots: Record<string, number>) {
  const clock = new HandClock();
  const free = new Map(Object.entries(slots));
  const hosts = {
    reserveHost(instance) {
      const chosen = [...free].find(([id, count]) => count > 0 && (instance ?? id) === id)?.[0];
      if (chosen === undefined) return undefined;
      free.set(chosen, (free.get(chosen) ?? 0) - 1);
      const release = () => void free.set(chosen, (free.get(chosen) ?? 0) + 1);
      return { process: { instance: chosen }, release };
    },
    hasHost: (instance) => (instance === undefined ? free.size > 0 : free.has(instance)),
  } as Partial<HostedHosts> as HostedHosts;
  const executions = { hostedOf: () => 0 };
  const deps = { clock, hosts, executions, observeHostWait: (attempts: unknown) => attempts };
  const queue = new ExecutionQueue(deps as unknown as QueueDeps);
  const tried: string[] = [];
  const late: string[] = [];
  const outcomes = new Map<string, (outcome: HostOutcome) => void>();
  return {
    ...{ clock, free, queue, tried, late },
    /** `name` begins with the letter of its workspace. */
    enter(name: string, concurrent = 10) {
      queue.addUnstored({
        ...{ workspaceId: name.charAt(0), concurrent, untilMs: clock.nowMs() + UNTIL_MS },
        begin(host) {
          tried.push(name);
          expect(host.instance).toBeString();
          const { promise, resolve } = Promise.withResolvers<HostOutcome>();
          outcomes.set(name, resolve);
          return promise;
        },
        late: (reason) => late.push(`${name} ${reason}`),
      });
    },
    /** Ends the attempt of an entry; what follows has happened when this resolves. */
    async end(name: string, outcome: HostOutcome) {
      outcomes.get(name)?.(outcome);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('within a workspace the order is that of arrival, and workspaces take turns', async () => {
  const { enter, end, tried, queue } = world({ one: 1 });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) enter(name);
  expect(queue.waitingForHost).toBe(5);
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await end(name, 'over');
  expect(tried).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  expect(queue.waitingForHost).toBe(0);
});

test('a workspace begins no more entries than its plan allows, and the others begin', async () => {
  const { enter, end, tried } = world({ one: 5 });
  for (const name of ['a1', 'a2', 'a3']) enter(name, 2);
  enter('b1', 2);
  expect(tried).toEqual(['a1', 'a2', 'b1']);
  await end('a2', 'over');
  expect(tried).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('a full workspace is tried again after a second, and its first entry is the first again', async () => {
  const { clock, enter, end, tried } = world({ one: 1 });
  for (const name of ['a1', 'a2', 'b1']) enter(name);
  await end('a1', 'no_place');
  await end('b1', 'over');
  expect(tried).toEqual(['a1', 'b1']);
  clock.move(1_000);
  expect(tried).toEqual(['a1', 'b1', 'a1']);
});

test('an entry that cannot begin at present lets the next one pass', async () => {
  const { clock, enter, end, tried } = world({ one: 1 });
  for (const name of ['a1', 'a2', 'a3']) enter(name);
  await end('a1', 'not_now');
  await end('a2', 'not_now');
  await end('a3', 'over');
  expect(tried).toEqual(['a1', 'a2', 'a3']);
  clock.move(1_000);
  expect(tried).toEqual(['a1', 'a2', 'a3', 'a1']);
});

test('an entry that may run only on a busy host lets the next one pass', async () => {
  const { enter, end, free, queue, tried } = world({ one: 1, two: 0 });
  for (const name of ['a1', 'a2']) enter(name);
  await end('a1', { pinned: 'two' });
  expect(tried).toEqual(['a1', 'a2']);
  free.set('two', 1);
  queue.hostConnected();
  expect(tried).toEqual(['a1', 'a2', 'a1']);
});

test('an entry that waits ends in time, once, with the reason why it waits then', () => {
  const { clock, enter, free, late, queue } = world({ one: 0 });
  enter('a1');
  clock.move(1_000);
  enter('a2');
  clock.move(UNTIL_MS - 1_000);
  expect(late).toEqual(['a1 no_place']);
  free.delete('one');
  clock.move(1_000);
  expect(late).toEqual(['a1 no_place', 'a2 no_host']);
  free.set('one', 1);
  queue.hostConnected();
  clock.move(UNTIL_MS);
  expect([late.length, queue.waitingForHost]).toEqual([2, 0]);
});

test('an entry whose time ends while it is being begun ends only if it did not begin', async () => {
  const { clock, enter, end, late, queue } = world({ one: 2 });
  enter('a1');
  enter('a2');
  clock.move(UNTIL_MS);
  expect(late).toEqual([]);
  await end('a1', 'over');
  await end('a2', 'no_place');
  clock.move(UNTIL_MS);
  expect([late, queue.waitingForHost]).toEqual([['a2 no_place'], 0]);
});
