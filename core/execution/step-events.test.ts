import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ExecutionEvent, readEvent } from './event.ts';
import { encodeEvent, encodeTransformed } from './sse.ts';
import { SseDecoder } from './sse-decoder.ts';
import { stepEvents } from './step-events.ts';

function decoded(text: string): (ExecutionEvent | undefined)[] {
  return new SseDecoder().push(new TextEncoder().encode(text)).map(({ data }) => readEvent(data));
}

const event = fc.oneof(
  fc.record({ type: fc.constant('output' as const), data: fc.string({ unit: 'binary' }) }),
  fc.record({ type: fc.constant('done' as const), exit_code: fc.nat(255), duration_ms: fc.nat() }),
);

test('events of a step are as they were, with its name in them', () => {
  fc.assert(
    fc.property(fc.array(event), fc.string({ minLength: 1 }), (events, step) => {
      const sse = new TextEncoder().encode(events.map(encodeEvent).join(''));
      const wanted = events.map((one) => JSON.parse(JSON.stringify({ ...one, step })) as ExecutionEvent);
      expect(decoded(stepEvents(sse, step))).toEqual(wanted);
    }),
  );
});

test('text like the head of an event is text', () => {
  const text = 'data: {"type":"done"';
  const sse = new TextEncoder().encode(encodeEvent({ type: 'output', data: text }));
  expect(decoded(stepEvents(sse, 'a'))).toEqual([{ type: 'output', step: 'a', data: text }]);
});

test('an event that has the name already keeps it, once', () => {
  const sse = encodeEvent({ type: 'output', step: 'a', data: 'x' });
  expect(stepEvents(new TextEncoder().encode(sse), 'a')).toBe(sse);
});

test('each event has its number in the piece, and those that were read are left out', () => {
  const sse = new TextEncoder().encode(
    encodeEvent({ type: 'output', data: 'one' }) +
      encodeTransformed('[1]') +
      encodeEvent({ type: 'output', data: 'three' }),
  );
  expect(stepEvents(sse, 'a', { before: (number) => `id: ${number}\n`, skip: 1 })).toBe(
    'id: 2\ndata: {"type":"transformed_output","step":"a","data":[1]}\n\nid: 3\ndata: {"type":"output","step":"a","data":"three"}\n\n',
  );
});
