import { expect, test } from 'bun:test';
import type { HubEvent } from '@svc/core/event/hub-event';
import { EventStream } from '../../platform/event-stream.ts';
import { HandClock } from '../../platform/fixtures/hand-clock.ts';
import { ChangeWaiters } from './change-waiters.ts';

const facts = { workspaceId: 'w', endpointId: 'n', slug: 's', trigger: 'call', agentName: 'a' } as const;

/** Events after which the state of execution or run `e` is read again. */
const CHANGES = [
  { kind: 'execution_started', execution: { ...facts, id: 'e' } },
  { kind: 'execution_withdrawn', executionId: 'e', workspaceId: 'w' },
  { kind: 'approval_closed', approval: { id: 'p', executionId: 'e' } },
  { kind: 'run_changed', run: { id: 'e' } },
  { kind: 'changed_elsewhere', ids: ['d', 'e'] },
] as HubEvent[];

function waiters() {
  const stream = new EventStream((error) => {
    throw error;
  });
  const clock = new HandClock();
  const changes = new ChangeWaiters(clock);
  changes.subscribe(stream);
  const woken: string[] = [];
  const wait = async (id: string) => {
    await changes.next(id, 500).happened;
    woken.push(id);
  };
  return { stream, clock, wait, woken };
}

test.each(CHANGES.map((event) => [event.kind, event] as const))(
  '%s wakes the callers that wait for the id, and no other',
  async (_kind, event) => {
    const { stream, wait, woken } = waiters();
    const waits = [wait('e'), wait('e')];
    void wait('another');
    stream.publish(event);
    await Promise.all(waits);
    expect(woken).toEqual(['e', 'e']);
  },
);

test('without an event a caller is woken when its poll is due, and not before', async () => {
  const { clock, wait, woken } = waiters();
  const waits = wait('e');
  clock.move(499);
  await Promise.resolve();
  expect(woken).toEqual([]);
  clock.move(1);
  await waits;
  expect(woken).toEqual(['e']);
});
