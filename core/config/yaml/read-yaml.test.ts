import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runs } from '../../../test/effort.ts';
import { readYaml, type YamlDocument } from './read-yaml.ts';
import { normalizedText } from './readable-text.ts';
import { textPositions } from './text-position.ts';

function read(raw: string) {
  const text = normalizedText(raw);
  const positionOf = textPositions(text);
  const result = readYaml(text, positionOf);
  const problems = result.kind === 'problems' ? result.problems : result.document.problems;
  return {
    result,
    problems: problems.map(({ offset, message }) => {
      const { line, column } = positionOf(offset);
      return `${line}:${column} ${message}`;
    }),
  };
}

function documentOf(text: string): YamlDocument {
  const { result, problems } = read(text);
  if (result.kind === 'problems') throw new Error(problems.join('\n'));
  return result.document;
}

describe('mistakes in YAML', () => {
  const NO_KEY = 'no key here: a key needs a colon and a space after it';
  const INDENT = 'indentation: this line does not line up with the ones that it belongs to';
  const TAB = 'a tab indents this line; YAML takes spaces only';
  const table: [mistake: string, yaml: string, problem: string][] = [
    ['a tab for the first level', 'endpoints:\n\t- name: a\n', `2:1 ${TAB}`],
    ['a tab for the second level', 'endpoints:\n  - name: a\n\tcommand: b\n', `3:1 ${TAB}`],
    ['a tab after spaces', 'endpoints:\n  - name: a\n  \tcommand: b\n', `3:3 ${TAB}`],
    ['a line one space too far out', 'endpoints:\n  - name: a\n   command: b\n', `3:1 ${INDENT}`],
    ['a line too far left', 'endpoints:\n  - name: a\n command: b\n', `3:1 ${INDENT}`],
    [
      'a line too far in',
      'e:\n  - name: a\n     b: c\n',
      '2:11 the line after this one is indented too deep',
    ],
    ['no colon', 'version: 1\nendpoints\n  - name: a\n', `2:1 ${NO_KEY}`],
    ['no space after a colon', 'version:1\nendpoints: []\n', `1:1 ${NO_KEY}`],
    ['a block that is not indented', 'command: |\necho\n', `2:1 ${NO_KEY}`],
    ['text beside a block marker', 'command: | echo\n', '1:12 the text of "|" begins on the next line'],
    ['text at a block marker', 'command: >echo\n', '1:11 the text of ">" begins on the next line'],
    ['a list beside its key', 'a: - b\n', '1:4 a list begins on the line after its key'],
    [
      'a colon in a value',
      'description: Deploys: now\n',
      `1:14 a value that holds ": " needs quotes: 'Deploys: now'`,
    ],
    [
      'a cron expression',
      '- schedule: */5 * * * *\n',
      `1:13 a value that begins with "*" needs quotes: '*/5 * * * *'`,
    ],
    [
      'a cron expression of stars',
      'schedule: * * * * *\n',
      `1:11 a value that begins with "*" needs quotes: '* * * * *'`,
    ],
    [
      'a placeholder in front',
      'command: {{tool}} x\n',
      `1:10 a value that begins with "{" needs quotes: '{{tool}} x'`,
    ],
    [
      'an at sign in front',
      'default: @latest\n',
      `1:10 a value that begins with "@" needs quotes: '@latest'`,
    ],
    [
      'a backtick in front',
      'command: `date`\n',
      '1:10 a value that begins with "`" needs quotes: \'`date`\'',
    ],
    ['a per cent sign in front', 'default: %s\n', `1:10 a value that begins with "%" needs quotes: '%s'`],
    [
      'an exclamation mark in front',
      'default: !x y\n',
      `1:10 a value that begins with "!" needs quotes: '!x y'`,
    ],
    [
      'a tag',
      '- !!set {x}\n',
      '1:3 Unresolved tag: tag:yaml.org,2002:set; quote a value that begins with "!"',
    ],
    ['a quote that stays open', 'a: 1\nb: "foo\nc: d\n', '2:4 the quote " that opens here is never closed'],
    [
      'an apostrophe in single quotes',
      "a: 'it's'\n",
      `1:8 text after the closing quote; quote the whole value: "'it's'"`,
    ],
    [
      'a quoted word in front',
      'a: "b" c\n',
      `1:8 text after the closing quote; quote the whole value: '"b" c'`,
    ],
    [
      'an escape of a pattern',
      'a: "\\d+"\n',
      '1:5 "\\d" is no escape of double quotes; use single quotes, or "\\\\"',
    ],
    ['a list that stays open', 'a: [b, c\nd: 1\n', '2:1 a list is not closed with "]"'],
    ['a map that stays open', 'a: {b: c\nd: 1\n', '2:1 a map is not closed with "}"'],
    ['a comment without a space', 'a: "b"#c\n', '1:7 a comment needs a space before the "#"'],
    ['a second document', 'a: 1\n---\nb: 2\n', '2:1 a second document begins here; one expected'],
    ['an unknown directive', '%FOO\n---\na: 1\n', '1:1 not YAML: Unknown directive %FOO'],
    ['lists in lists', '['.repeat(100_000), '1:40 nested more than 40 levels deep'],
    ['maps in maps', '{a: '.repeat(50_000), '1:157 nested more than 40 levels deep'],
    ['a binary file', 'a\0b', '1:2 character U+0000: this is a binary file or UTF-16; UTF-8 text expected'],
    [
      'bytes that are no UTF-8',
      'a: \uFFFD',
      '1:4 character U+FFFD: these bytes are not UTF-8; save the file as UTF-8',
    ],
    [
      'line ends of 1999',
      'a: b\rc: d',
      '1:5 character U+000D: a carriage return without a line feed; end lines with a line feed',
    ],
    [
      'an escape character',
      'a: \x1b[1m',
      '1:4 character U+001B: a control character; in a value write it as an escape in double quotes, such as "\\x1b"',
    ],
  ];
  for (const [mistake, yaml, problem] of table) {
    test(`${mistake}: ${problem}`, () => {
      expect(read(yaml).problems).toEqual([problem]);
    });
  }

  test('are all reported, one for each line', () => {
    expect(read('a: @b\nc: `d\ne: [f\n').problems.map((problem) => problem.slice(0, 4))).toEqual([
      '1:4 ',
      '2:4 ',
      '4:1 ',
    ]);
  });
});

describe('YAML that no config holds', () => {
  const table: [what: string, yaml: string, problem: string][] = [
    ['a key that stands twice', 'a: 1\nb: 2\na: 3\n', '3:1 key "a" stands twice; first in line 1'],
    ['a key that stands twice in one line', '{a: 1, a: 2}', '1:8 key "a" stands twice; first in line 1'],
    [
      'a merge key',
      'a: &x {b: 1}\nc:\n  <<: *x\n',
      '3:3 merge keys are not part of YAML 1.2; write the keys out',
    ],
    [
      'a placeholder as the whole value',
      'command: {{tool}}\n',
      '1:10 a key is text, and here it is something else; a value that begins with "{" or "[" needs quotes',
    ],
    ['an empty key', 'a: 1\n"": 2\n', '2:1 "" cannot be a key'],
    ['a key that is a trap of JavaScript', '__proto__: 2\n', '1:1 "__proto__" cannot be a key'],
    [
      'an alias of nothing',
      'a: *x\n',
      '1:4 alias "*x" names no anchor before it; put a value that begins with "*" in quotes',
    ],
    ['an alias in itself', 'a: &x [*x]\n', '1:8 alias "*x" stands inside the value that it names'],
    [
      'a NUL',
      'a: "x\\0"\n',
      '1:4 text holds a NUL or half of a surrogate pair, which no command can be given',
    ],
    [
      'half a pair',
      'a: "\\ud800"\n',
      '1:4 text holds a NUL or half of a surrogate pair, which no command can be given',
    ],
  ];
  for (const [what, yaml, problem] of table) {
    test(`${what}: ${problem}`, () => {
      expect(read(yaml).problems).toEqual([problem]);
    });
  }

  test('aliases of aliases are measured before they are followed', () => {
    const levels = Array.from({ length: 40 }, (_, n) => `k${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    const { result, problems } = read(['k0: &a0 [x]', ...levels].join('\n'));
    expect(result.kind).toBe('problems');
    expect(problems).toEqual(['6:34 aliases stand for more than 100000 values']);
  });

  test('one long list that is repeated often is measured too', () => {
    const yaml = `a: &a [${'x,'.repeat(1_000)}]\nb: [${'*a,'.repeat(1_000)}]\n`;
    expect(read(yaml).problems).toEqual(['2:302 aliases stand for more than 100000 values']);
  });
});

describe('values', () => {
  test('a byte order mark and line ends of Windows change nothing', () => {
    expect(documentOf('\uFEFFa: b\r\nc: |\r\n  d\r\n  e\r\n').value).toEqual({ a: 'b', c: 'd\ne\n' });
  });

  test('an empty file and one of comments only have no value', () => {
    expect(documentOf('').value).toBe(null);
    expect(documentOf('# nothing\n').value).toBe(null);
  });

  test('yes, no, on and off are text, also where a directive asks for YAML 1.1', () => {
    const value = { a: 'yes', b: 'no', c: 'on', d: 'off', e: true };
    expect(documentOf('a: yes\nb: no\nc: on\nd: off\ne: true\n').value).toEqual(value);
    expect(documentOf('%YAML 1.1\n---\na: yes\nb: no\nc: on\nd: off\ne: true\n').value).toEqual(value);
  });

  test('an alias has the value of the last anchor of its name before it', () => {
    const yaml = 'a: &x 1\nb: &y [*x]\nc: &x 2\nd: *x\ne: *y\n';
    expect(documentOf(yaml).value).toEqual({ a: 1, b: [1], c: 2, d: 2, e: [1] });
  });

  test('keys are the text that was written', () => {
    expect(Object.keys(documentOf('8080.0: a\ntrue: b\n~: c\n"d": e\n').value as object)).toEqual([
      '8080.0',
      'true',
      '~',
      'd',
    ]);
  });

  test('a key in quotes is never a merge key', () => {
    expect(documentOf('"<<": {a: 1}\n').value).toEqual({ '<<': { a: 1 } });
  });

  test('a scalar can be had as it was written, whatever its value became', () => {
    const document = documentOf('a: 1.10\nb: [0x1F, True, ~, "q"]\nc: &x 007\nd: *x\ne: !!str 1e3\n');
    const paths = [['a'], ['b', 0], ['b', 1], ['b', 2], ['b', 3], ['c'], ['d'], ['e']];
    expect(paths.map((path) => document.textAt(path))).toEqual([
      '1.10',
      '0x1F',
      'True',
      '~',
      'q',
      '007',
      '007',
      '1e3',
    ]);
    expect(document.textAt(['b'])).toBeUndefined();
  });
});

describe('places', () => {
  const yaml = 'list: &l\n  - k: "v w"\n    empty:\nagain: *l\n';
  const place = (path: (string | number)[], at: 'key' | 'value', offset?: number) => {
    const finding = { path, at, message: '', ...(offset === undefined ? {} : { offset }) };
    const { line, column } = textPositions(yaml)(documentOf(yaml).offsetOf(finding));
    return `${line}:${column}`;
  };

  test('of a key, a value and a character of a value', () => {
    expect(place(['list', 0, 'k'], 'key')).toBe('2:5');
    expect(place(['list', 0, 'k'], 'value')).toBe('2:8');
    expect(place(['list', 0, 'k'], 'value', 2)).toBe('2:11');
    expect(place(['list', 0], 'value')).toBe('2:5');
    expect(place([], 'value')).toBe('1:1');
  });

  test('of a character of a block with an explicit indentation, however deep it stands', () => {
    const text = 'a:\n  - b: |2\n        one\n      two X\n';
    const offset = String((documentOf(text).value as { a: [{ b: string }] }).a[0].b).indexOf('X');
    expect(documentOf(text).offsetOf({ path: ['a', 0, 'b'], at: 'value', message: '', offset })).toBe(
      text.indexOf('X'),
    );
  });

  test('of a value that is not there is its key', () => {
    expect(place(['list', 0, 'empty'], 'value')).toBe('3:5');
  });

  test('of an alias is the alias, and of what is inside it where that was written', () => {
    expect(place(['again'], 'value')).toBe('4:8');
    expect(place(['again', 0, 'k'], 'value')).toBe('2:8');
  });

  test('of a path that leads nowhere is the last place on it', () => {
    expect(place(['list', 0, 'missing', 'deeper'], 'value')).toBe('2:5');
    expect(place(['list', 7], 'value')).toBe('2:3');
    expect(place(['nowhere'], 'key')).toBe('1:1');
  });
});

test('every text is read without an exception, and every problem is inside it', () => {
  const yamlish = fc
    .array(
      fc.constantFrom(
        'a: ',
        '- ',
        '\n',
        '  ',
        '&x ',
        '*x',
        '"',
        "'",
        '{',
        '}',
        '[',
        ']',
        ',',
        '|\n',
        '>-\n',
        '#',
        '? ',
        ': ',
        '!t ',
        '---\n',
        '...\n',
        '%',
        '\t',
        'é',
        '😀',
        '\r\n',
        '<<: ',
        'b',
        '1.0',
        '\\',
        '\0',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(yamlish, fc.string({ unit: 'binary' }), fc.string()), (raw) => {
      const { result } = read(raw);
      const problems = result.kind === 'problems' ? result.problems : result.document.problems;
      if (result.kind === 'problems') expect(problems.length).toBeGreaterThan(0);
      for (const { offset } of problems) {
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(normalizedText(raw).length);
      }
    }),
    { numRuns: runs(2_000) },
  );
}, 30_000);
