import { describe, expect, test } from 'bun:test';
import { Refusal } from '../../refusal.ts';
import { collectValues } from './collect-values.ts';

function refusal(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const query = (text: string) => new URLSearchParams(text);

describe('values of a call', () => {
  test('come from the query and the body together', () => {
    const values = collectValues({ query: query('a=1&b=x+y'), body: { c: 'z', d: '' } });
    expect([...values]).toEqual([
      ['a', '1'],
      ['b', 'x y'],
      ['c', 'z'],
      ['d', ''],
    ]);
  });

  test('are the JSON text of numbers and booleans', () => {
    const body = JSON.parse('{"a": 1.50, "b": true, "c": false, "d": 1e3, "e": 1e-7, "f": 9007199254740991}');
    expect(Object.fromEntries(collectValues({ query: [], body }))).toEqual({
      a: '1.5',
      b: 'true',
      c: 'false',
      d: '1000',
      e: '1e-7',
      f: '9007199254740991',
    });
  });

  test('may be called like a property of every object', () => {
    const values = collectValues({ query: [], body: JSON.parse('{"__proto__": "a", "constructor": "b"}') });
    expect([...values]).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  test('are refused all at once when they have no one text', () => {
    const body = JSON.parse('{"a": null, "b": [], "c": {}, "d": 9007199254740993, "e": 1e999, "ok": 1}');
    const refused = refusal(() => collectValues({ query: [], body }));
    expect(refused.code).toBe('invalid_argument');
    expect(refused.details.problems).toEqual([
      { argument: 'a', message: 'a string, a number or a boolean is expected, not null' },
      { argument: 'b', message: 'a string, a number or a boolean is expected, not an array' },
      { argument: 'c', message: 'a string, a number or a boolean is expected, not an object' },
      { argument: 'd', message: 'the number is too large to be exact; send it as a string' },
      { argument: 'e', message: 'the number is too large to be exact; send it as a string' },
    ]);
  });

  test.each([
    ['query', query('a=1&a=1'), undefined],
    ['query and body', query('a=1'), { a: '1' }],
  ])('are refused when one is given twice: %s', (_, pairs, body) => {
    const refused = refusal(() => collectValues({ query: pairs, body }));
    expect(refused.details).toMatchObject({ argument: 'a', problems: [{ argument: 'a' }] });
    expect(refused.message).toContain('twice');
  });

  test.each([[null], [[]], ['text'], [1], [true]])('a body that is %j is refused', (body) => {
    expect(refusal(() => collectValues({ query: [], body })).code).toBe('invalid_json');
  });
});
