import { expect, test } from 'bun:test';
import type { HubEvent } from '@svc/core/event/hub-event';
import { EventStream } from './event-stream.ts';

const finished = (executionId: string): HubEvent => ({ kind: 'execution_finished', executionId });
const begun = (executionId: string): HubEvent => ({ kind: 'execution_begun', executionId });

test('a handler gets the events of its kinds in the order in which they were published', () => {
  const stream = new EventStream(() => undefined);
  const got: string[] = [];
  stream.subscribe(['execution_begun', 'execution_finished'], (event) =>
    got.push(`${event.kind} ${event.executionId}`),
  );
  stream.subscribe('execution_begun', () => got.push('only begun'));
  for (const event of [begun('a'), finished('a'), begun('b')]) stream.publish(event);
  expect(got).toEqual([
    'execution_begun a',
    'only begun',
    'execution_finished a',
    'execution_begun b',
    'only begun',
  ]);
});

test('a handler that throws is reported and stops neither the other handlers nor the publisher', () => {
  const reported: unknown[] = [];
  const stream = new EventStream((error) => reported.push(error));
  const got: string[] = [];
  const bug = new Error('a bug');
  stream.subscribe('execution_begun', () => {
    throw bug;
  });
  stream.subscribe('execution_begun', ({ executionId }) => got.push(executionId));
  stream.publish(begun('a'));
  expect([got, reported]).toEqual([['a'], [bug]]);
});
