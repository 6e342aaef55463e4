import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseOutput, type Reading } from './parse-output.ts';
import type { Transform } from './transform.ts';

function json(parse: Transform['parse'], text: string, pattern?: string): string {
  const parsed = parseOutput({ parse, ...(pattern === undefined ? {} : { pattern }) }, text);
  if (parsed.kind === 'failed') throw new Error(parsed.reason);
  return parsed.json;
}

const value = (...args: Parameters<typeof json>): unknown => JSON.parse(json(...args));

function reason(...[parse, text, pattern]: Parameters<typeof json>): string {
  const parsed = parseOutput({ parse, ...(pattern === undefined ? {} : { pattern }) }, text);
  return parsed.kind === 'failed' ? parsed.reason : `parsed: ${parsed.json}`;
}

describe('json', () => {
  test('keeps every digit and escape, drops the space around values', () => {
    const text =
      ' {"a" : 1e400 ,\n\t"b":[100000000000000000000001, 1.10], "c d":"x \\" y\\\\" , "\\u00e9":"  "}\r\n';
    expect(json('json', text)).toBe(
      '{"a":1e400,"b":[100000000000000000000001,1.10],"c d":"x \\" y\\\\","\\u00e9":"  "}',
    );
  });

  test('any value is kept, in any layout', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        expect(json('json', JSON.stringify(JSON.parse(text), undefined, indent))).toBe(
          JSON.stringify(JSON.parse(text)),
        );
      }),
    );
  });

  test.each([
    ['', 'line 1, column 1: the end found, a value expected'],
    [' \n ', 'line 2, column 2: the end found, a value expected'],
    ['{"a":1,}', 'line 1, column 8: "}" found, a name in double quotes expected'],
    ['{"a" 1}', 'line 1, column 6: "1" found, ":" expected'],
    ['{"a":\n  tru}', 'line 2, column 3: "tru" found, a value expected'],
    ["{'a':1}", `line 1, column 2: "'" found, a name in double quotes or "}" expected`],
    ['{"a":1 "b"}', 'line 1, column 8: "\\"" found, "," or "}" expected'],
    ['[1,2', 'line 1, column 5: the end found, "," or "]" expected'],
    ['[1,]', 'line 1, column 4: "]" found, a value expected'],
    ['[}', 'line 1, column 2: "}" found, a value or "]" expected'],
    ['[1]\nwarning: x', 'line 2, column 1: "warning" found, nothing more expected'],
    ['"a\nb"', 'line 1, column 3: "\\n" found, the rest of a string expected'],
    ['"\\x"', 'line 1, column 2: "\\\\" found, the rest of a string expected'],
    ['01', 'line 1, column 2: "1" found, nothing more expected'],
    ['NaN', 'line 1, column 1: "NaN" found, a value expected'],
    ['😀', 'line 1, column 1: "😀" found, a value expected'],
  ])('%j is refused with its place', (text, message) => {
    expect(reason('json', text)).toBe(`json: ${message}`);
  });

  test('a place is found wherever the engine refuses a text, and nowhere else', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '.5',
      'e9',
      'true',
      'nul',
      ' ',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        expect(reason('json', text)).toMatch(
          isJson(text) ? /^parsed: / : /^json: line \d+, column \d+: .* expected$/,
        );
      }),
      { numRuns: 5000 },
    );
  });

  test('a million brackets are no danger', () => {
    expect(reason('json', '['.repeat(1_000_000))).toContain('column 1000001: the end found');
    expect(json('json', '['.repeat(1_000_000) + ']'.repeat(1_000_000))).toHaveLength(2_000_000);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('ndjson', () => {
  test('a value per line, blank lines skipped', () => {
    expect(json('ndjson', '{"a": 1}\n\n[1, 2.0]\r\n"x"')).toBe('[{"a":1},[1,2.0],"x"]');
    expect(json('ndjson', '')).toBe('[]');
  });

  test('a bad line is named', () => {
    expect(reason('ndjson', '{"a":1}\n\n{"b":}\n')).toBe(
      'ndjson: line 3, column 6: "}" found, a value expected',
    );
    expect(reason('ndjson', '1 2\n')).toBe('ndjson: line 1, column 3: "2" found, nothing more expected');
  });
});

test('lines: every line without its end', () => {
  expect(value('lines', 'a\r\n\n b "c"\n')).toEqual(['a', '', ' b "c"']);
  expect(value('lines', 'a\n\n')).toEqual(['a', '']);
  expect(value('lines', 'a\rb')).toEqual(['a\rb']);
  expect(value('lines', '')).toEqual([]);
});

test('any number of values is written whole', () => {
  for (const count of [1, 1023, 1024, 1025, 5000])
    expect(value('lines', 'x\n'.repeat(count))).toHaveLength(count);
});

describe('csv and tsv', () => {
  test('an object per record, quoted as RFC 4180 has it, line ends mixed', () => {
    expect(value('csv', 'id,name\n1,"a ""b"", c\nd"\r\n\n2,\n')).toEqual([
      { id: '1', name: 'a "b", c\nd' },
      { id: '2', name: '' },
    ]);
  });

  test('a name that stands twice holds both values, and no name is special', () => {
    expect(json('csv', 'a,b,a,__proto__,1\n1,2,3,4,5\n')).toBe(
      '[{"a":["1","3"],"b":"2","__proto__":"4","1":"5"}]',
    );
  });

  test('a header alone and nothing at all are no records', () => {
    expect(value('csv', 'a,b\n')).toEqual([]);
    expect(value('csv', '')).toEqual([]);
  });

  test.each([
    ['a,b\n1,2\n3\n', 'csv: Invalid Record Length: expect 2, got 1 on line 3'],
    ['a,b\n1,"2\n3', 'csv: Quote Not Closed: the parsing is finished with an opening quote at line 3'],
  ])('%j is refused with its line', (text, message) => {
    expect(reason('csv', text)).toBe(message);
  });

  test('in tsv a quote is a character like any other', () => {
    expect(value('tsv', 'size\tname\n5" disk\t"x\n')).toEqual([{ size: '5" disk', name: '"x' }]);
  });
});

describe('kv', () => {
  test('os-release: quotes, comments, blank lines', () => {
    expect(
      value(
        'kv',
        '# x\nNAME="Debian \\"12\\" \\$"\n\nID=debian\nURL=\'https://a/?b=c\'\nEMPTY=\nexport A=1\n',
      ),
    ).toEqual({
      NAME: 'Debian "12" $',
      ID: 'debian',
      URL: 'https://a/?b=c',
      EMPTY: '',
      A: '1',
    });
  });

  test('lscpu: a colon separates before a space or the end, spaces around are dropped', () => {
    expect(
      value(
        'kv',
        'Model name:   AMD EPYC\n  L1d cache:  64 KiB (2 instances)\nOptions:\na:b=c\nPATH=/a:/b\n',
      ),
    ).toEqual({
      'Model name': 'AMD EPYC',
      'L1d cache': '64 KiB (2 instances)',
      Options: '',
      'a:b': 'c',
      PATH: '/a:/b',
    });
  });

  test('a key that stands twice holds both values, in the order of the lines', () => {
    expect(json('kv', '2=a\n1=b\n2=c\n__proto__=d\n')).toBe('{"2":["a","c"],"1":"b","__proto__":"d"}');
    expect(json('kv', '')).toBe('{}');
  });

  test('a line without a key is named', () => {
    expect(reason('kv', 'a=1\nbroken\n')).toBe(
      'kv: line 2: "KEY=value" or "key: value" (or another "delimiter") expected',
    );
    expect(reason('kv', '=1\n')).toContain('line 1');
  });
});

describe('yaml', () => {
  test('a document is its value, several are an array, none is null', () => {
    expect(value('yaml', 'a: 1\nb: [x, {c: null}]\n')).toEqual({ a: 1, b: ['x', { c: null }] });
    expect(value('yaml', 'a: 1\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(value('yaml', '')).toBeNull();
  });

  test('anchors are followed, names are not special', () => {
    expect(json('yaml', 'a: &x {k: 1}\nb: *x\n__proto__: 1\n')).toBe(
      '{"a":{"k":1},"b":{"k":1},"__proto__":1}',
    );
  });

  test.each([
    ['a: 1\nb: [1\nc: 2', /^yaml: line 3, column 1: /],
    ['a: 1\na: 2', /^yaml: line 2, column 1: .*unique/],
    ['a: *nope', /aliases cannot be resolved: .*nope/],
    ['&a [*a]', /cannot be said as JSON/],
  ])('%j is refused', (text, message) => {
    expect(reason('yaml', text)).toMatch(message);
  });

  test('aliases of aliases do not grow without bound', () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(`*${of}`)}]\n`;
    const bomb = `a: &a [x]\n${level('b', 'a')}${level('c', 'b')}${level('d', 'c')}${level('e', 'd')}${level('f', 'e')}`;
    expect(reason('yaml', bomb)).toContain('the aliases cannot be resolved');
  });
});

describe('regex', () => {
  test('an object per match, null for a group that took no part', () => {
    expect(value('regex', 'a=1\r\nb=\nnone\n', '^(?<key>\\w+)=(?<value>\\d+)?$')).toEqual([
      { key: 'a', value: '1' },
      { key: 'b', value: null },
    ]);
    expect(value('regex', 'x1 y2', '(?<l>[a-z])(?<n>\\d)')).toHaveLength(2);
    expect(value('regex', 'none', '(?<x>\\d)')).toEqual([]);
  });

  test('whole code points, and empty matches end', () => {
    expect(value('regex', '😀', '(?<x>.)')).toEqual([{ x: '😀' }]);
    expect(value('regex', 'ab', '(?<x>)')).toHaveLength(3);
  });

  test('a pattern without named groups or with an error is refused with the reason', () => {
    expect(reason('regex', 'a', '(a)')).toContain('no named group');
    expect(reason('regex', 'a', '(?<x>')).toContain('not valid');
  });
});

test('refuses what would be too long as JSON', () => {
  const name = 'n'.repeat(1000);
  expect(reason('regex', 'x'.repeat(67_000), `(?<${name}>.)`)).toBe('regex: more than 64 MiB as JSON');
  expect(reason('regex', 'x'.repeat(66_000), `(?<${name}>.)`)).toStartWith('parsed');
});

describe('the keys that shape a text', () => {
  const read = (reading: Reading, text: string): unknown => {
    const parsed = parseOutput(reading, text);
    if (parsed.kind === 'failed') throw new Error(parsed.reason);
    return JSON.parse(parsed.json);
  };

  test('skip and until cut lines, whatever the kind', () => {
    const text = 'title\na\nb\n-- end\nc\n';
    expect(read({ parse: 'lines', skip: 1, until: '--' }, text)).toEqual(['a', 'b']);
    expect(read({ parse: 'lines', skip: 9 }, text)).toEqual([]);
    expect(read({ parse: 'lines', until: 'none' }, 'a\n\nb')).toEqual(['a', '', 'b']);
    expect(read({ parse: 'lines', until: '' }, 'a\n \nb')).toEqual(['a']);
    expect(read({ parse: 'json', skip: 1 }, 'warning\n{"a": 1}')).toEqual({ a: 1 });
  });

  test('csv and tsv without a header are arrays, with columns objects', () => {
    expect(read({ parse: 'csv', header: false }, '1,"a,b"\n2,c\n')).toEqual([
      ['1', 'a,b'],
      ['2', 'c'],
    ]);
    expect(read({ parse: 'tsv', columns: ['id', 'name'] }, '1\ta "b"\n')).toEqual([
      { id: '1', name: 'a "b"' },
    ]);
    expect(() => read({ parse: 'csv', columns: ['id'] }, '1,2\n')).toThrow(
      'record 1: 2 values for 1 columns',
    );
  });

  test('csv of old Macs, with carriage returns alone, is read', () => {
    expect(read({ parse: 'csv' }, 'a,b\r1,2\r3,4\r')).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ]);
    expect(read({ parse: 'csv' }, 'a,b\n1,"x\ry"\n')).toEqual([{ a: '1', b: 'x\ry' }]);
  });

  test('key-value pairs with another delimiter', () => {
    expect(read({ parse: 'kv', delimiter: ' ' }, 'port 22\n  host   a b\nflag\n')).toEqual({
      port: '22',
      host: 'a b',
      flag: '',
    });
    expect(read({ parse: 'kv', delimiter: '->' }, 'a=b -> c\n')).toEqual({ 'a=b': 'c' });
    expect(() => read({ parse: 'kv', delimiter: '->' }, 'a=b\n')).toThrow('a key, "->" and a value expected');
  });
});

describe('ini', () => {
  const ini = (text: string): unknown => {
    const parsed = parseOutput({ parse: 'ini' }, text);
    return parsed.kind === 'failed' ? parsed.reason : JSON.parse(parsed.json);
  };

  test('sections, comments, quotes, keys without a value and keys that stand twice', () => {
    const text =
      '; first\nroot = 1\n[remote "origin"]\n  url = a#b;c\nfetch=x\nfetch = "y z"\n[flags]\nbare\n[remote "origin"]\npush = p\n__proto__ = q\n';
    expect(JSON.stringify(ini(text))).toBe(
      JSON.stringify({
        root: '1',
        'remote "origin"': { url: 'a#b;c', fetch: ['x', 'y z'], push: 'p' },
      }).replace('"push":"p"}', '"push":"p","__proto__":"q"},"flags":{"bare":null}'),
    );
    expect(ini('')).toEqual({});
  });

  test('a line that is neither, and a name that is both, are errors', () => {
    expect(ini('[a]\n= 1\n')).toBe('ini: line 2: "[section]" or "key = value" expected');
    expect(ini('[a\n')).toBe('ini: line 1: "[section]" or "key = value" expected');
    expect(ini('a = 1\n[a]\nb = 2\n')).toBe('ini: "a" is both a key and a section');
  });
});

test('yaml keeps what tags of YAML 1.1 hold', () => {
  const parsed = parseOutput(
    { parse: 'yaml' },
    'set: !!set {a, b}\nomap: !!omap [x: 1, y: 2]\nbinary: !!binary aGVsbG8=\npairs: !!pairs [x: 1, x: 2]\n',
  );
  expect(parsed.kind === 'parsed' && JSON.parse(parsed.json)).toEqual({
    set: { a: null, b: null },
    omap: [{ x: 1 }, { y: 2 }],
    binary: 'aGVsbG8=',
    pairs: [{ x: 1 }, { x: 2 }],
  });
});
