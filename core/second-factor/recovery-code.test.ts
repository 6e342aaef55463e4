import { expect, test } from 'bun:test';
import { RECOVERY_CODE_BYTES, readRecoveryCode, recoveryCodeOf } from './recovery-code.ts';

const bytes = (fill: number) => new Uint8Array(RECOVERY_CODE_BYTES).fill(fill);

test('a code has 16 digits in groups of four, and depends on every byte', () => {
  expect(recoveryCodeOf(bytes(0))).toBe('0000-0000-0000-0000');
  expect(recoveryCodeOf(bytes(255))).toBe('zzzz-zzzz-zzzz-zzzz');
  const codes = Array.from({ length: RECOVERY_CODE_BYTES }, (_, at) => recoveryCodeOf(bytes(0).with(at, 1)));
  expect(new Set(codes).size).toBe(RECOVERY_CODE_BYTES);
  expect(() => recoveryCodeOf(new Uint8Array(9))).toThrow('9 random bytes');
});

test.each([
  ['7k3m-q0vd-x2hs-9rtw', '7k3m-q0vd-x2hs-9rtw'],
  [' 7K3MQ0VDX2HS9RTW\n', '7k3m-q0vd-x2hs-9rtw'],
  ['7k3m qovd x2hs 9rtw', '7k3m-q0vd-x2hs-9rtw'],
  ['IL00-0000-0000-0000', '1100-0000-0000-0000'],
])('%j is read as %s', (typed, code) => {
  expect(readRecoveryCode(typed)).toBe(code);
});

test.each(['', '7k3m-q0vd-x2hs-9rt', '7k3m-q0vd-x2hs-9rtw0', '7k3m-q0vd-x2hs-9rt!', 'u'.repeat(16)])(
  '%j is no code',
  (typed) => {
    expect(readRecoveryCode(typed)).toBeUndefined();
  },
);

test('a code that was made is read again', () => {
  const random = crypto.getRandomValues(bytes(0));
  const code = recoveryCodeOf(random);
  expect(readRecoveryCode(code.toUpperCase().replaceAll('-', ' '))).toBe(code);
});
