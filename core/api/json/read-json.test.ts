import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LIMITS } from '../../plan/limits.ts';
import { Refusal } from '../../refusal.ts';
import { readJson, readJsonFields } from './read-json.ts';

function refusalOf(text: string): Refusal {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`not refused: ${text}`);
}

const fields = (text: string) =>
  (refusalOf(text).details.fields as { field: string }[] | undefined)?.map(({ field }) => field);

const value = fc.jsonValue({ maxDepth: 5, noUnicodeString: false }).filter((candidate) => {
  const text = JSON.stringify(candidate);
  return (
    !text.includes('\\u0000') && !text.includes('"__proto__"') && JSON.stringify(JSON.parse(text)) === text
  );
});
const isExact = (text: string) =>
  (text.match(/-?\d[\d.eE+-]*/g) ?? []).every(
    (number) => Math.abs(Number(number)) <= Number.MAX_SAFE_INTEGER,
  );

test('JSON is read like JSON.parse, with any white space', () => {
  fc.assert(
    fc.property(value, fc.nat(4), (candidate, indent) => {
      const text = JSON.stringify(candidate, null, indent);
      fc.pre(text.isWellFormed() && isExact(text));
      expect(readJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('text that JSON.parse refuses is refused, wherever a valid text is damaged', () => {
  fc.assert(
    fc.property(value, fc.nat(), fc.string({ maxLength: 2 }), (candidate, at, noise) => {
      const text = JSON.stringify(candidate);
      const place = at % (text.length + 1);
      const damaged = text.slice(0, place) + noise + text.slice(place + 1);
      fc.pre(!isJson(damaged));
      expect(() => readJson(damaged)).toThrow(Refusal);
    }),
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('is refused with the field', () => {
  const table: [what: string, text: string, field: string][] = [
    ['a name that stands twice', '{"a":1,"a":1}', 'a'],
    ['the same name in another spelling', '{"a":1,"\\u0061":2}', 'a'],
    ['one that stands twice further down', '{"list":[{},{"b":{"c":1,"c":null}}]}', 'list.1.b.c'],
    ['a whole number that would be rounded', '{"n":[9007199254740993]}', 'n.0'],
    ['a number without an end', '{"n":1e400}', 'n'],
    ['NUL in text', '{"a":"x\\u0000"}', 'a'],
    ['a name that hides from checks', '{"args":{"__proto__":1}}', 'args.__proto__'],
  ];
  test.each(table)('%s', (_what, text, field) => {
    expect([refusalOf(text).code, fields(text)]).toEqual(['invalid_argument', [field]]);
  });
});

describe('is refused with its place', () => {
  const table: [text: string, place: string][] = [
    ['', '1:1'],
    ['{', '1:2'],
    ['[1,]', '1:4'],
    ['[1 2]', '1:4'],
    ['{"a":1,}', '1:8'],
    ['{"a":{"b":[}}', '1:12'],
    ['[01]', '1:3'],
    ['nul', '1:1'],
    ['"\\ud800"', '1:1'],
    ['{}\n{}', '2:1'],
  ];
  test.each(table)('%p at %s', (text, place) => {
    const { code, details } = refusalOf(text);
    expect([code, `${details.line}:${details.column}`]).toEqual(['invalid_json', place]);
  });
});

describe('the maximum size of a body', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const list = (count: number) => `[${Array(count).fill('0').join(',')}]`;

  test('is read, and no level more', () => {
    expect(() => readJson(nested(LIMITS.jsonDepth + 1))).not.toThrow();
    expect(refusalOf(nested(LIMITS.jsonDepth + 2)).code).toBe('invalid_argument');
    expect(refusalOf('['.repeat(1_000_000)).code).toBe('invalid_argument');
  });

  test('is read, and no value more', () => {
    expect(() => readJson(list(LIMITS.jsonValues - 1))).not.toThrow();
    expect(refusalOf(list(LIMITS.jsonValues)).message).toContain(`at most ${LIMITS.jsonValues} values`);
  });
});

describe('a body of which some fields are used', () => {
  const used = new Set(['ref']);

  test('is refused for what is wrong in those, and not for the rest', () => {
    const rest = '"id": 9007199254740993, "text": "a\\u0000b", "id": 1, "__proto__": {}';
    expect(readJsonFields(`{"ref": "main", ${rest}}`, used)).toMatchObject({ ref: 'main' });
    for (const wrong of ['{"ref": 1, "ref": 2}', '{"ref": {"id": 9007199254740993}}', '{"ref": "\\u0000"}'])
      expect(() => readJsonFields(`${wrong.slice(0, -1)}, ${rest}}`, used)).toThrow(/^ref/);
  });

  test('may hold more values than a body of the API', () => {
    const many = `[${'0,'.repeat(LIMITS.jsonValues)}0]`;
    expect(readJsonFields(`{"ref": "main", "commits": ${many}}`, used)).toMatchObject({ ref: 'main' });
  });

  test('is JSON all the same, and not without end deep', () => {
    expect(() => readJsonFields('{"ref": "main", "rest": }', used)).toThrow(/not JSON/);
    expect(() => readJsonFields('['.repeat(100), used)).toThrow(/levels/);
  });
});
