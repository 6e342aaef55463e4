import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BufferedOutput } from './buffered-output.ts';

function kept(chunks: readonly Uint8Array[], limitBytes: number): BufferedOutput {
  const output = new BufferedOutput(limitBytes);
  for (const chunk of chunks) output.write(chunk);
  return output;
}

const encode = (text: string) => new TextEncoder().encode(text);

test('a command that prints nothing gives an empty text', () => {
  expect(kept([], 10).text()).toBe('');
});

test('output within the limit is unchanged, including a byte order mark and carriage returns', () => {
  const output = kept([encode('\ufeffa\r\n'), encode('\rb')], 100);
  expect([output.text(), output.isTruncated]).toEqual(['\ufeffa\r\n\rb', false]);
});

test('exactly as much as the limit is not cut, one byte more is', () => {
  expect(kept([encode('12345')], 5).isTruncated).toBe(false);
  const over = kept([encode('123'), encode('456')], 5);
  expect([over.text(), over.isTruncated]).toEqual(['12345', true]);
});

test('a character that the limit cuts in two is left out, and one that was never whole is marked', () => {
  expect(kept([encode('aé')], 2).text()).toBe('a');
  expect(kept([encode('a'), Uint8Array.of(0xc3)], 2).text()).toBe('a\ufffd');
});

test('it copies the bytes, because those of a chunk are reused', () => {
  const chunk = encode('12345');
  const output = new BufferedOutput(5);
  output.write(chunk);
  chunk.fill(0);
  expect(output.text()).toBe('12345');
});

test('the borders of the chunks make no difference', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.array(fc.nat(40)),
      fc.nat(45),
      (bytes, cuts, limitBytes) => {
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end));
        const [whole, pieces] = [kept([bytes], limitBytes), kept(chunks, limitBytes)];
        expect([pieces.text(), pieces.isTruncated]).toEqual([whole.text(), whole.isTruncated]);
      },
    ),
  );
});
