import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { PROGRESS_LINE_BYTES, TAIL_BYTES, TailOutput } from './tail.ts';

function tailOf(pieces: readonly string[]) {
  const output = new TailOutput();
  for (const piece of pieces) output.add(piece);
  return output;
}

describe('the end of an output', () => {
  test('is all of a short one', () => {
    expect(tailOf(['one\ntw', 'o\n']).tail()).toEqual({ text: 'one\ntwo\n', earlierLines: 0, lines: 2 });
  });

  test('begins with a whole line, and counts the lines before it', () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`);
    const { text, earlierLines, lines: count } = tailOf([`${lines.join('\n')}\n`]).tail();
    expect(count).toBe(5_000);
    const [first = ''] = text.split('\n');
    expect(first).toBe(`line ${earlierLines + 1}`);
    expect(text).toEndWith('line 5000\n');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(TAIL_BYTES);
  });

  test('is the same however the output is cut, and never over the limit', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constant('x'.repeat(9_000)),
      fc.constant('é\n'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const { text, lines } = tailOf(pieces).tail();
        const whole = pieces.join('');
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(TAIL_BYTES);
        expect(whole.toWellFormed()).toEndWith(text);
        expect(lines).toBe(whole.split('\n').length - (whole.endsWith('\n') || whole === '' ? 1 : 0));
      }),
    );
  });
});

describe('the last line', () => {
  test('is the last one with text, without colours and instructions to a terminal, and short', () => {
    expect(tailOf(['one\n\u001b[31mtwo\u001b[0m\u001b]0;title\u0007\n\n  \n']).lastLine).toBe('two');
    expect(tailOf(['one\nhalf of']).lastLine).toBe('half of');
    expect(Buffer.byteLength(tailOf(['é'.repeat(5_000)]).lastLine)).toBeLessThanOrEqual(PROGRESS_LINE_BYTES);
  });
});
