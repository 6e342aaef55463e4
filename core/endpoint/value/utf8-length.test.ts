import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { utf8Length } from './utf8-length.ts';

test('the length is that of the encoded text, whatever is in it', () => {
  const encoder = new TextEncoder();
  const unit = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom('\ud83d', '\ude00', '\0'),
  );
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = units.join('');
      expect(utf8Length(text)).toBe(encoder.encode(text).length);
    }),
  );
});
