import { expect, test } from 'bun:test';
import { encodeEvent } from '@svc/core/execution/sse';
import { EarlierReader, eventsToLoad } from './earlier-lines.ts';

const END = { first: 100_000, end: 102_000 };

test.each([
  ['a line just before is loaded with some more', 99_900, 2_000],
  ['a line far before with all between', 90_000, 11_000],
  ['the first line with all', 0, undefined],
  ['a line near the beginning with all', 500, undefined],
])('%s', (_, line, events) => {
  expect(eventsToLoad(END, line)).toBe(events);
});

test('as many lines are loaded as there are, and no more than the hub gives at once', () => {
  expect(eventsToLoad({ first: 50_000, end: 62_000 }, 49_000)).toBe(12_000);
  expect(eventsToLoad({ first: 5_000, end: 17_000 }, 4_000)).toBeUndefined();
  expect(eventsToLoad({ first: 400_000, end: 402_000 }, 200_000)).toBe(100_000);
});

test('the events of a response are lines, and its first id is that of the next request', () => {
  const reader = new EarlierReader();
  const bytes = Buffer.from('a\nb\n').toString('base64');
  const events = [
    `: \n\nid: 3.2\n${encodeEvent({ type: 'output', data: 'err', stream: 'stderr' })}`,
    `id: 3.3\n${encodeEvent({ type: 'output', data: bytes, encoding: 'base64' })}`,
  ];
  reader.push(new TextEncoder().encode(events.join('')));
  const lines = [
    { text: 'err', isError: true, continuesEvent: false },
    { text: 'a', isError: false, continuesEvent: false },
    { text: 'b', isError: false, continuesEvent: true },
  ];
  expect(reader.pieces).toEqual([{ firstId: '3.2', lines, isRaw: true }]);
  const broken = encodeEvent({ type: 'error', error: 'access ended' });
  expect(() => reader.push(new TextEncoder().encode(broken))).toThrow('access ended');
});

test('many lines come in pieces that begin with an event', () => {
  const reader = new EarlierReader();
  const text = Buffer.from('a\n'.repeat(3_000)).toString('base64');
  const event = encodeEvent({ type: 'output', data: text, encoding: 'base64' });
  for (const id of ['1.1', '1.2', '1.3']) reader.push(new TextEncoder().encode(`id: ${id}\n${event}`));
  expect(reader.pieces.map(({ firstId, lines }) => [firstId, lines.length])).toEqual([
    ['1.1', 6_000],
    ['1.3', 3_000],
  ]);
});
