import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { exactText, isTooDeep, MAX_DEPTH, parseExact } from './exact-json.ts';
import { cellOf, isNumeric, sortedRows, tableOf } from './result-table.ts';
import { sizeText, treeRows } from './tree-rows.ts';

describe('JSON that came out of a transform', () => {
  test.each(['12345678901234567890', '1.10', '1e3', '-0', '0.1', '7'])('keeps the digits of %s', (digits) => {
    expect(exactText(parseExact(`{"a":[${digits}]}`))).toBe(`{\n  "a": [\n    ${digits}\n  ]\n}`);
  });

  test('is the same when it is written again', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(JSON.parse(exactText(parseExact(json)))).toEqual(JSON.parse(json));
      }),
    );
  });
});

describe('a tree', () => {
  const value = parseExact(`{"a":{"b":{"c":1}},"list":[1,2],"none":[],"long":[${'0,'.repeat(60)}0]}`);
  const lines = (toggled: string[]) =>
    treeRows(value, new Set(toggled)).map(
      ({ depth, name, size, isOpen }) => `${depth} ${name} ${size ?? '-'} ${isOpen}`,
    );

  test('is open as far as that is short', () => {
    expect(lines([])).toEqual([
      '0 undefined 4 true',
      '1 a 1 true',
      '2 b 1 false',
      '1 list 2 true',
      '2 0 - false',
      '2 1 - false',
      '1 none 0 false',
      '1 long 61 false',
    ]);
  });

  test('opens and closes on request', () => {
    expect(lines(['["a","b"]', '["list"]'])).toEqual([
      '0 undefined 4 true',
      '1 a 1 true',
      '2 b 1 true',
      '3 c - false',
      '1 list 2 false',
      '1 none 0 false',
      '1 long 61 false',
    ]);
    expect(lines(['["long"]'])).toHaveLength(8 + 61);
  });

  test('says how much is inside', () => {
    expect(sizeText({ value: [], size: 0 })).toBe('0 items');
    expect(sizeText({ value: { a: 1 }, size: 1 })).toBe('1 field');
  });
});

describe('a table', () => {
  test('is made of a list of objects, and of nothing else', () => {
    expect(tableOf(parseExact('[{"a":1},{"b":2}]'))?.columns).toEqual(['a', 'b']);
    for (const json of ['[]', '{}', '[1]', '[{"a":1},2]', '[[1]]', '[{}]', '"x"', 'null', '[null]'])
      expect(tableOf(parseExact(json))).toBeUndefined();
  });

  test('has nothing in a cell that was not printed, whatever its column is called', () => {
    const rows = '[{"constructor":1,"toString":"x","__proto__":{}},{"a":2}]';
    const table = tableOf(parseExact(rows));
    if (table === undefined) throw new Error('a table expected');
    expect(table.columns.map((column) => cellOf(table.rows[1], column))).toEqual([
      undefined,
      undefined,
      undefined,
      2,
    ]);
    expect(isNumeric(table, 'constructor')).toBe(true);
    expect(sortedRows(table, { column: 'toString', isDescending: true })).toEqual([...table.rows]);
  });

  test('says how many columns it leaves out', () => {
    const wide = Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`c${index}`, index]));
    expect(tableOf([wide])).toMatchObject({ left: 5 });
  });

  const rows = '[{"n":"a10","v":2},{"n":"a9","v":10},{"n":"B","v":null},{"v":12345678901234567890}]';
  test.each([
    ['n', false, [10, 2, null, '12345678901234567890']],
    ['n', true, [null, 2, 10, '12345678901234567890']],
    ['v', false, [2, 10, '12345678901234567890', null]],
    ['v', true, ['12345678901234567890', 10, 2, null]],
  ] as const)(
    'is sorted by %s, descending: %p, with what has no value last',
    (column, isDescending, expected) => {
      const table = tableOf(parseExact(rows));
      if (table === undefined) throw new Error('a table expected');
      const sorted = sortedRows(table, { column, isDescending }).map(({ v }) =>
        typeof v === 'object' && v !== null && 'digits' in v ? v.digits : v,
      );
      expect(sorted as unknown[]).toEqual([...expected]);
      expect(isNumeric(table, 'v')).toBe(true);
      expect(isNumeric(table, 'n')).toBe(false);
    },
  );
});

describe('a value that is nested deep', () => {
  const nested = (depth: number, inside = '1') => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;

  test('is shown as deep as a tree goes, and no deeper', () => {
    expect([isTooDeep(nested(MAX_DEPTH)), isTooDeep(nested(MAX_DEPTH + 1))]).toEqual([false, true]);
    expect(exactText(parseExact(nested(MAX_DEPTH)))).toContain('1');
    expect(isTooDeep(nested(1_000_000))).toBe(true);
    expect(isTooDeep(`[${'{"a":[]},'.repeat(MAX_DEPTH)}1]`)).toBe(false);
  });

  test('is no deeper for the brackets in its text', () => {
    const text = JSON.stringify(`"\\${'['.repeat(MAX_DEPTH)}{"`);
    expect(isTooDeep(nested(MAX_DEPTH, text))).toBe(false);
    expect(isTooDeep(nested(MAX_DEPTH + 1, text))).toBe(true);
  });
});
