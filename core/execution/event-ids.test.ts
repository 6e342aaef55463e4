import { expect, test } from 'bun:test';
import { positionBefore, readPosition, withIds } from './event-ids.ts';
import { encodeEvent } from './sse.ts';

const lines = ['a', 'b\n\nid: 9', 'c'].map((data) => encodeEvent({ type: 'output', data })).join('');
const sse = new TextEncoder().encode(lines);

test('each event gets its place in the stream as id', () => {
  expect(withIds(7, sse)).toBe(
    'id: 7.1\ndata: {"type":"output","data":"a"}\n\n' +
      'id: 7.2\ndata: {"type":"output","data":"b\\n\\nid: 9"}\n\n' +
      'id: 7.3\ndata: {"type":"output","data":"c"}\n\n',
  );
});

test('a reader that has some events of a piece gets the others', () => {
  expect(withIds(7, sse, { prefix: 'x/', skip: 2 })).toBe(
    'id: x/7.3\ndata: {"type":"output","data":"c"}\n\n',
  );
  expect(withIds(7, sse, { skip: 3 })).toBe('');
});

test.each([
  ['7.2', { seq: 7, events: 2 }],
  ['7', { seq: 8, events: 0 }],
  ['0', { seq: 1, events: 0 }],
  ['end', 'end'],
  ['', undefined],
  ['-1', undefined],
  ['1.', undefined],
  ['1.2.3', undefined],
  ['x', undefined],
] as const)('the id %p is read', (text, expected) => {
  expect(readPosition(text)).toEqual(expected as never);
});

test('the position before an event is that after the one before it in the same piece, and `end` is after all', () => {
  expect(['5.3', '5.1', 'end'].map(positionBefore)).toEqual([
    { seq: 5, events: 2 },
    { seq: 5, events: 0 },
    { seq: Number.MAX_SAFE_INTEGER - 1, events: 0 },
  ]);
  expect(['5', '5.0', '', 'x'].map(positionBefore)).toEqual([undefined, undefined, undefined, undefined]);
});

test('events after a number of them are left out', () => {
  expect(withIds(7, sse, { skip: 1, until: 2 })).toStartWith('id: 7.2\n');
  expect(withIds(7, sse, { skip: 1, until: 2 })).not.toContain('7.3');
  expect(withIds(7, sse, { until: 0 })).toBe('');
});
