import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeInputFrame, encodeInputFrame } from './input-frame.ts';
import { LINK_LIMITS } from './limits.ts';

test('a frame is read as it was written', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.maxSafeNat(), fc.uint8Array({ minLength: 1 }), (executionId, offset, bytes) => {
      const frame = { executionId, offset, bytes };
      expect(decodeInputFrame(encodeInputFrame(frame))).toEqual({ kind: 'frame', frame });
    }),
  );
});

test('any bytes are read or refused, and never throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (message) => {
      const decoded = decodeInputFrame(message);
      if (decoded.kind === 'frame') expect(encodeInputFrame(decoded.frame)).toEqual(message);
    }),
  );
});

test('a frame without bytes, of another kind or too long is refused', () => {
  const frame = { executionId: crypto.randomUUID(), offset: 0, bytes: new Uint8Array(1) };
  const message = encodeInputFrame(frame);
  expect(decodeInputFrame(message.subarray(0, -1)).kind).toBe('refused');
  const output = message.slice();
  output[0] = 1;
  expect(decodeInputFrame(output).kind).toBe('refused');
  const long = encodeInputFrame({ ...frame, bytes: new Uint8Array(LINK_LIMITS.inputFrameBytes) });
  expect(decodeInputFrame(long).kind).toBe('refused');
});
