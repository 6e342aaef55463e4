import { expect, test } from 'bun:test';
import { EventReader } from './event-reader.ts';

test('a line of standard error is marked where its event names the stream', () => {
  const reader = new EventReader();
  const { log } = reader;
  const events = [
    { type: 'output', data: 'out' },
    { type: 'output', data: 'err', stream: 'stderr' },
  ];
  reader.push(new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')));
  expect([0, 1].map((index) => [log.at(index)?.text, log.at(index)?.isError])).toEqual([
    ['out', false],
    ['err', true],
  ]);
});
