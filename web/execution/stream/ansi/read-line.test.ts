import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readLine, styleAfter } from './read-line.ts';
import { PLAIN } from './style.ts';

const ESC = '\u001b';

describe('a line of output', () => {
  test('without control characters is one span as it came', () => {
    expect(readLine('make: done')).toEqual({
      spans: [{ text: 'make: done', style: PLAIN }],
      text: 'make: done',
      rewrites: 0,
    });
    expect(readLine('').spans).toEqual([]);
  });

  test.each([
    [`${ESC}[31mred${ESC}[0m plain`, [{ ink: 1 }, {}]],
    [`${ESC}[1;4;97;41mloud`, [{ bold: true, underline: true, ink: 15, paper: 1 }]],
    [`${ESC}[38;5;208morange${ESC}[39mno`, [{ ink: '255 135 0' }, {}]],
    [`${ESC}[38;5;244mgrey`, [{ ink: '128 128 128' }]],
    [`${ESC}[48;5;9mred`, [{ paper: 9 }]],
    [`${ESC}[38;2;1;2;3mtrue`, [{ ink: '1 2 3' }]],
    [`${ESC}[38:2:1:2:3mtrue`, [{ ink: '1 2 3' }]],
    [`${ESC}[7;9;3mall${ESC}[27;29;23mnone`, [{ inverse: true, struck: true, italic: true }, {}]],
    [`${ESC}[1mb${ESC}[2md${ESC}[22mn`, [{ bold: true }, { bold: true, dim: true }, {}]],
    [`${ESC}[mreset`, [{}]],
    ['\u009b32mgreen', [{ ink: 2 }]],
  ])('has the styles that %j asks for', (line, styles) => {
    expect(readLine(line).spans.map(({ style }) => definedOf(style))).toEqual(styles);
  });

  test('keeps a style that the line before left', () => {
    const after = styleAfter(`x${ESC}[31my`, PLAIN);
    expect(readLine('z', after).spans).toEqual([{ text: 'z', style: after }]);
    expect(styleAfter(`${ESC}[0m`, after)).toBe(PLAIN);
  });

  test.each([
    [`${ESC}]0;title\u0007text`, 'text'],
    [`${ESC}]8;;https://evil.example${ESC}\\safe${ESC}]8;;${ESC}\\`, 'safe'],
    [`${ESC}[2Jtext${ESC}[10;10H`, 'text'],
    [`${ESC}[8mhidden${ESC}[5mblink`, 'hiddenblink'],
    [`${ESC}(Btext${ESC}7${ESC}c`, 'text'],
    [`${ESC}[?25ltext`, 'text'],
    [`${ESC}P1$r0m${ESC}\\text`, 'text'],
    [`${ESC}[38;5;999mx${ESC}[38;2;1mx${ESC}[48mx`, 'xxx'],
  ])('does not print what a terminal acts upon: %j', (line, text) => {
    expect(readLine(line).text).toBe(text);
  });

  test.each([`${ESC}]0;all that follows`, `${ESC}Pall that follows`, `${ESC}[12`, `text${ESC}`])(
    'hides nothing behind %j, which has no end',
    (line) => {
      expect(readLine(line).text).toBe(line);
    },
  );

  test('that was overwritten shows the last text, and how often', () => {
    const { text, rewrites } = readLine(`10%\r20%\r${ESC}[32m30%\r`);
    expect({ text, rewrites }).toEqual({ text: '30%', rewrites: 2 });
  });

  test('loses only control sequences, whatever its content', () => {
    const part = fc.constantFrom(ESC, '[', ']', '31', ';', 'm', '\u0007', '\\', 'a', ' ', 'P', '\u009b');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const line = parts.join('');
        const { spans, text } = readLine(line);
        expect(spans.map((span) => span.text).join('')).toBe(text);
        expect(isSubsequence(text, line)).toBe(true);
        // No sequence ends with it, as one may with a letter of ASCII.
        expect(styleAfter(line, PLAIN)).toEqual(readLine(`${line}é`).spans.at(-1)?.style ?? PLAIN);
      }),
      { numRuns: 300, examples: [[['\u009b', '31', 'm', ESC]]] },
    );
  });

  test('of 64 KiB of broken escapes is read at once', () => {
    const started = performance.now();
    for (const piece of [`${ESC}]`, `${ESC}[`, `${ESC}[1m`, `${ESC}P;`]) readLine(piece.repeat(32_768));
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

function definedOf(style: object): object {
  return Object.fromEntries(Object.entries(style).filter(([, value]) => value !== undefined));
}

function isSubsequence(text: string, of: string): boolean {
  let at = 0;
  for (const char of of) if (char === text[at]) at += 1;
  return at === text.length;
}
