import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { TerminalFilter } from './terminal-filter.ts';

const ESC = '\x1b';

const forTerminal = (text: string) => new TerminalFilter().push(text);

describe('colours and plain text pass', () => {
  const passes = [
    'plain text, ä, 漢字, 👩‍👩‍👧, עברית',
    'tabs\tand\r\nlines\n',
    '10%\r20%\r',
    `${ESC}[31mred${ESC}[0m`,
    `${ESC}[m`,
    `${ESC}[1;38;5;208;48;2;1;2;3mmany${ESC}[0m`,
    `${ESC}[4:3mcurly`,
  ];
  test.each(passes)('%j', (text) => {
    expect(forTerminal(text)).toBe(text);
  });
});

describe('everything else is dropped, and the text around it stays', () => {
  const table: [what: string, sent: string, shown: string][] = [
    ['a title', `a${ESC}]0;pwned\x07b`, 'ab'],
    ['the clipboard', `a${ESC}]52;c;cm0gLXJmIH4=${ESC}\\b`, 'ab'],
    ['a link', `${ESC}]8;;https://evil.example${ESC}\\here${ESC}]8;;${ESC}\\!`, 'here!'],
    ['a cursor move', `good${ESC}[1A${ESC}[2Kbad`, 'goodbad'],
    ['a cleared screen', `${ESC}[2J${ESC}[Hx`, 'x'],
    ['the other screen', `${ESC}[?1049hx${ESC}[?1049l`, 'x'],
    ['a question that the terminal answers', `${ESC}[6n${ESC}[c${ESC}Z\x05x`, 'x'],
    ['DCS', `a${ESC}P$q"p${ESC}\\b`, 'ab'],
    ['APC', `a${ESC}_Gi=1;AAAA${ESC}\\b`, 'ab'],
    ['PM and SOS', `a${ESC}^x${ESC}\\b${ESC}Xy${ESC}\\c`, 'abc'],
    ['a reset', `a${ESC}cb`, 'ab'],
    ['another character set', `a${ESC}(0b${ESC}#8c\x0ed`, 'abcd'],
    ['8-bit CSI', 'a\x9b2Jb', 'ab'],
    ['8-bit OSC with the 8-bit terminator', 'a\x9d0;title\x9cb', 'ab'],
    ['8-bit DCS and APC', 'a\x90x\x9cb\x9fy\x9cc', 'abc'],
    ['what looks like a colour and changes the keys', `a${ESC}[>4;1mb${ESC}[?1mc${ESC}[0 md`, 'abcd'],
    ['backspaces, bells, NUL and DEL', 'a\bb\x07c\0d\x7fe\vf\fg', 'abcdefg'],
    ['text that runs backwards', 'a\u202eb\u2066c\u2069d\u202ce', 'abcde'],
    ['an escape in an escape', `a${ESC}${ESC}[31mb`, `a${ESC}[31mb`],
    ['a colour in a title', `a${ESC}]0;${ESC}[31mb`, `a${ESC}[31mb`],
    ['a colour that CAN cuts off', `a${ESC}[31\x18mb`, 'amb'],
    ['a title without an end, which ends with its line', `a${ESC}]0;lost\nb`, 'a\nb'],
    ['a control sequence without an end', `a${ESC}[31\nb`, 'a\nb'],
    ['an escape that something else follows', `a${ESC}äb${ESC}[31äc`, 'aäbäc'],
    ['an endless control sequence', `a${ESC}[${'1;'.repeat(64)}`, 'a'],
  ];
  test.each(table)('%s', (_, sent, shown) => {
    expect(forTerminal(sent)).toBe(shown);
  });
});

/** Text that is mostly made of what sequences are made of. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...`${ESC}[]P_^X\\(?>;:0179mHJc \n\r\t\b`,
        '\x07',
        '\x9b',
        '\x9c',
        '\x9d',
        '\x90',
        '\x18',
        '\u202e',
        '😀',
        `${ESC}[`,
        `${ESC}]8;;`,
        `${ESC}[31m`,
      ),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));
const HARMLESS = /^(?:[^\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\x1b\[[\d;:]*m)*$/u;

test('only text and colours pass, whatever comes', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(forTerminal(text)).toMatch(HARMLESS);
    }),
    { numRuns: 5_000 },
  );
});

test('it is the same however the text is cut', () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(80)), (text, cuts) => {
      const filter = new TerminalFilter();
      const places = [...new Set([0, ...cuts.filter((at) => at < text.length), text.length])].sort(
        (a, b) => a - b,
      );
      const chunks = places.slice(1).map((end, index) => text.slice(places[index], end));
      expect(chunks.map((chunk) => filter.push(chunk)).join('')).toBe(forTerminal(text));
    }),
    { numRuns: 5_000 },
  );
});

test('filtered text passes again unchanged', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const once = forTerminal(text);
      expect(forTerminal(once)).toBe(once);
    }),
    { numRuns: 2_000 },
  );
});
