import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeFeedMessage, encodeFeedMessage, type FeedMessage } from './feed-message.ts';

const u32 = fc.integer({ min: 0, max: 0xff_ff_ff_ff });
const messages: fc.Arbitrary<FeedMessage> = fc.oneof(
  fc.record({
    number: u32,
    kind: fc.constant('output' as const),
    seq: u32,
    endings: fc.option(fc.string({ unit: 'grapheme', minLength: 1 }), { nil: undefined }),
    sse: fc.uint8Array(),
  }),
  fc.record({ number: u32, kind: fc.constantFrom('ended' as const, 'moved' as const, 'dropped' as const) }),
);

describe('a message of a feed', () => {
  test('comes out as it went in', () => {
    fc.assert(
      fc.property(messages, (message) => {
        expect(decodeFeedMessage(encodeFeedMessage(message))).toEqual(message);
      }),
    );
  });

  test('is none when a byte of its head is missing, and never throws', () => {
    fc.assert(
      fc.property(messages, fc.nat({ max: 12 }), (message, length) => {
        const short = encodeFeedMessage(message).subarray(0, length);
        const decoded = decodeFeedMessage(short);
        expect(decoded === undefined || message.kind !== 'output').toBe(true);
      }),
    );
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void decodeFeedMessage(bytes)));
  });
});
