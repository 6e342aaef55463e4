import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Refusal } from '../../refusal.ts';
import { readJsonArguments } from './json-arguments.ts';
import { JsonSource } from './json-source.ts';

function refusalOf(text: string): Refusal {
  try {
    readJsonArguments(text);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`not refused: ${text}`);
}

describe('a value is kept as it was sent', () => {
  const table: [json: string, value: unknown][] = [
    ['"text"', 'text'],
    ['""', ''],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"', '"\\/\b\f\n\r\té😀'],
    ['"\\\\"', '\\'],
    ['1.0', '1.0'],
    ['-0', '-0'],
    ['1e400', '1e400'],
    ['12345678901234567890', '12345678901234567890'],
    ['0.1E-2', '0.1E-2'],
    ['true', true],
    ['false', false],
    ['null', null],
    ['[1, {"a": 2.0}] ', new JsonSource('[1, {"a": 2.0}]')],
    ['{ "a" : 2}', new JsonSource('{ "a" : 2}')],
  ];
  test.each(table)('%s', (json, value) => {
    expect(readJsonArguments(`{"a":${json}}`)).toEqual({ a: value } as never);
  });
});

test('names may be anything, __proto__ and the empty name included', () => {
  const values = readJsonArguments('{"__proto__": "x", "": "y", "constructor": 1}');
  expect(Object.entries(values)).toEqual([
    ['__proto__', 'x'],
    ['', 'y'],
    ['constructor', '1'],
  ]);
});

test('a name that stands twice is refused, whatever its spelling', () => {
  const refusal = refusalOf('{"a": 1, "b": 2, "\\u0061": 1}');
  expect([refusal.code, refusal.message]).toEqual([
    'invalid_argument',
    'argument "a": it is given twice; give it once',
  ]);
});

describe('a body other than an object is refused with its place', () => {
  const table: [text: string, place: string][] = [
    ['', '1:1'],
    ['  \n', '2:1'],
    ['[]', '1:1'],
    ['"a"', '1:1'],
    ['{', '1:2'],
    ['{a: 1}', '1:2'],
    ["{'a': 1}", '1:2'],
    ['{"a" 1}', '1:6'],
    ['{"a":}', '1:6'],
    ['{"a":1', '1:7'],
    ['{"a":1,}', '1:8'],
    ['{,}', '1:2'],
    ['{"a":01}', '1:7'],
    ['{"a":1.}', '1:7'],
    ['{"a":+1}', '1:6'],
    ['{"a":.5}', '1:6'],
    ['{"a":NaN}', '1:6'],
    ['{"a":truer}', '1:6'],
    ['{"a":"x}', '1:6'],
    ['{"a":"x\\"}', '1:6'],
    ['{"a":"\n"}', '1:6'],
    ['{"a":"\\x41"}', '1:6'],
    ['{"a":"\\ud800"}', '1:6'],
    ['{\n  "a": 1\n  "b": 2\n}', '3:3'],
    ['{"a":1} {}', '1:9'],
    ['{"a":1}// ', '1:8'],
    ['{"a":[1,]}', '1:9'],
    ['{"a":{"b":1,"b":2}}', '1:16'],
    ['{"a":[1}', '1:8'],
    ['\u00a0{}', '1:1'],
  ];
  test.each(table)('%p at %s', (text, place) => {
    const { code, details } = refusalOf(text);
    expect([code, `${details.line}:${details.column}`]).toEqual(['invalid_json', place]);
  });
});

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

test('every object of scalars is read as JSON.parse reads it, numbers by their text', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), scalar), fc.nat(4), (object, indent) => {
      const text = JSON.stringify(object, null, indent);
      const expected = Object.entries(object).map(([name, value]) => [
        name,
        typeof value === 'number' ? JSON.stringify(value) : value,
      ]);
      expect(Object.entries(readJsonArguments(text)).sort()).toEqual(expected.sort() as never);
    }),
  );
});

test('text that JSON.parse refuses is refused, wherever a valid text is damaged', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.oneof(scalar, fc.jsonValue({ maxDepth: 4 }))),
      fc.nat(),
      fc.string({ maxLength: 2 }),
      (object, at, noise) => {
        const text = JSON.stringify(object);
        const place = at % (text.length + 1);
        const damaged = text.slice(0, place) + noise + text.slice(place + 1);
        if (!isRefused(() => JSON.parse(damaged))) return;
        expect(isRefused(() => readJsonArguments(damaged))).toBe(true);
      },
    ),
  );
});

function isRefused(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch {
    return true;
  }
}

test('a megabyte of escapes is read in a time that grows with its length alone', () => {
  const escapes = '\\n'.repeat(500_000);
  expect(readJsonArguments(`{"a":"${escapes}"}`)).toEqual({ a: '\n'.repeat(500_000) });
  expect(refusalOf(`{"a":"${escapes}`).code).toBe('invalid_json');
});
