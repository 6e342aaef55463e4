import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Ended } from '../execution/outcome.ts';
import { REASONS } from '../execution/state.ts';
import { LINK_LIMITS } from '../protocol/limits.ts';
import { REFUSAL_CODES } from '../refusal.ts';
import { decodeFeedMessage, encodeFeedMessage, type FeedMessage } from './feed-message.ts';

const u32 = fc.integer({ min: 0, max: 0xff_ff_ff_ff });
const text = fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined });
const number = fc.option(fc.nat(), { nil: undefined });
const ends: fc.Arbitrary<Ended> = fc.record({
  state: fc.constantFrom('succeeded', 'failed', 'timed_out', 'cancelled', 'lost', 'rejected', 'missed'),
  reason: fc.option(fc.constantFrom(...REASONS), { nil: undefined }),
  error: text,
  errorCode: fc.option(fc.constantFrom(...REFUSAL_CODES), { nil: undefined }),
  exitCode: number,
  durationMs: number,
  data: text,
});
const NO_END = {
  ...{ reason: undefined, error: undefined, errorCode: undefined },
  ...{ exitCode: undefined, durationMs: undefined, data: undefined },
};
const messages: fc.Arbitrary<FeedMessage> = fc.oneof(
  fc.record({
    number: u32,
    kind: fc.constant('output' as const),
    seq: u32,
    endings: fc.option(fc.string({ unit: 'grapheme', minLength: 1 }), { nil: undefined }),
    sse: fc.uint8Array(),
  }),
  fc.record({ number: u32, kind: fc.constant('ended' as const), ended: fc.option(ends, { nil: undefined }) }),
  fc.record({ number: u32, kind: fc.constantFrom('moved' as const, 'dropped' as const) }),
);

describe('a message of a feed', () => {
  test('comes out as it went in', () => {
    fc.assert(
      fc.property(messages, (message) => {
        expect(decodeFeedMessage(encodeFeedMessage(message))).toEqual(message);
      }),
    );
  });

  test('says that it has ended, and leaves how to the record, where that is longer than a message', () => {
    const data = 'x'.repeat(LINK_LIMITS.outputFrameBytes);
    const ended = { ...NO_END, state: 'succeeded', data } as const;
    const message = { number: 1, kind: 'ended', ended } as const;
    expect(decodeFeedMessage(encodeFeedMessage(message))).toEqual({ ...message, ended: undefined });
    // As a hub of the version before, without output.
    expect(decodeFeedMessage(new Uint8Array([1, 0, 0, 0, 1]))).toEqual({ ...message, ended: undefined });
  });

  test('is refused when a byte of its head is missing, and never throws', () => {
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
