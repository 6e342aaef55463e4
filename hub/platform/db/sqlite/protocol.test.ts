import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Value } from '../unit/statement.ts';
import { BatchWriter, readBatch } from './protocol.ts';

/** The values that the Worker passes to its statements. */
function crossed(values: readonly Value[]): Value[] {
  const written = new BatchWriter().write([[{ text: { sql: 'select 1' }, values }]]);
  const [unit = []] = readBatch(structuredClone(written)).units;
  return unit.flatMap(([, read]) => read);
}

test('any column value arrives unchanged', () => {
  const value = fc.oneof(
    fc.constant(null),
    fc.maxSafeInteger(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 600 }),
  );
  fc.assert(
    fc.property(fc.array(value), (values) => {
      expect(crossed(values)).toEqual(values);
    }),
  );
});

test('so do half a character, every byte there is, and bytes in the middle of others', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const values = ['\ud83d', '\0"\\\n', bytes, bytes.subarray(100, 200), new Uint8Array()];
  expect(crossed(values)).toEqual(values);
});

test('a text crosses once, and is named by its number from then on', () => {
  const batches = new BatchWriter();
  const unit = (value: Value) => [{ text, values: [value] }];
  const text = { sql: 'insert' };
  expect(readBatch(batches.write([unit(1), unit(2)]))).toEqual({
    newTexts: [{ number: 0, text }],
    units: [[[0, [1]]], [[0, [2]]]],
  });
  expect(readBatch(batches.write([unit(3)]))).toEqual({ newTexts: [], units: [[[0, [3]]]] });
});
