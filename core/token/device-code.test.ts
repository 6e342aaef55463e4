import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decidePoll, type PolledCode, readUserCode, userCodeOf } from './device-code.ts';

const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('a code for people', () => {
  test('is eight letters that are hard to confuse, in two halves', () => {
    fc.assert(fc.property(bytes, (random) => /^(?:[B-DF-HJ-NP-TV-XZ]{4}-?){2}$/.test(userCodeOf(random))));
  });

  test('depends on all that is random about it', () => {
    const codes = new Set(
      Array.from({ length: 256 }, (_, byte) => userCodeOf(new Uint8Array(16).fill(7).with(15, byte))),
    );
    expect(codes.size).toBe(256);
  });

  test('is read as people type it', () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom('', '-', ' ', ' - '), (random, between) => {
        const code = userCodeOf(random);
        const typed = ` ${code.toLowerCase().replace('-', between)} `;
        return readUserCode(typed) === code;
      }),
    );
  });

  test.each(['', 'WDJB', 'WDJB-MJH', 'WDJB-MJHTT', 'WDJB-MJH0', 'WDJB-MJHA', 'WDJB_MJHT', '🦊DJB-MJHT'])(
    '%p is refused',
    (typed) => expect(readUserCode(typed)).toBeUndefined(),
  );
});

describe('a program that asks', () => {
  const code: PolledCode = { state: 'pending', expiresAtMs: 600_000, intervalSec: 5, polledAtMs: undefined };

  test.each([
    ['for the first time', code, 0, { kind: 'authorization_pending', intervalSec: 5 }],
    ['in time', { ...code, polledAtMs: 1_000 }, 6_000, { kind: 'authorization_pending', intervalSec: 5 }],
    ['too soon', { ...code, polledAtMs: 1_000 }, 5_999, { kind: 'slow_down', intervalSec: 10 }],
    [
      'polls at the old interval though the hub asked it to slow down',
      { ...code, polledAtMs: 1_000, intervalSec: 10 },
      6_000,
      { kind: 'slow_down', intervalSec: 15 },
    ],
    ['too late', code, 600_000, { kind: 'expired_token' }],
    ['after a yes', { ...code, state: 'approved', polledAtMs: 1_000 }, 1_001, { kind: 'redeem' }],
    ['after a yes, too late', { ...code, state: 'approved' }, 600_000, { kind: 'expired_token' }],
    ['after a no', { ...code, state: 'denied' }, 1, { kind: 'access_denied' }],
    ['again, though it has its token', { ...code, state: 'used' }, 1, { kind: 'expired_token' }],
  ] as const)('%s', (_, polled, nowMs, expected) => {
    expect(decidePoll(polled, nowMs)).toEqual(expected);
  });
});
