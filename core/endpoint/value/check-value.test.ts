import { describe, expect, test } from 'bun:test';
import type { Argument } from '../definition.ts';
import { checkValue } from './check-value.ts';

const argument = (more: Partial<Argument> = {}): Argument => ({
  name: 'x',
  required: true,
  type: 'text',
  inferred: false,
  secret: false,
  allowDash: false,
  ...more,
});

describe('accepted', () => {
  test.each<[Partial<Argument>, string[]]>([
    [{}, ['', 'a', "'; rm -rf /", '\n\t\u001b', 'é\u{1f600}', 'x'.repeat(65_536)]],
    [{ type: 'integer' }, ['0', '-1', '42', '123456789012345678901234567890']],
    [{ type: 'number' }, ['0', '-1.5', '1e3', '2.5E-7']],
    [{ type: 'boolean' }, ['true', 'false']],
    [{ type: 'enum', choices: ['a', 'b c', ''] }, ['a', 'b c', '']],
    [{ pattern: '[a-z]+' }, ['main']],
    [{ maxLength: 2 }, ['', 'ab', '\u{1f600}\u{1f600}']],
  ])('%j', (more, values) => {
    for (const value of values) expect(checkValue(argument(more), value)).toBeUndefined();
  });
});

describe('refused', () => {
  test.each<[Partial<Argument>, string, string]>([
    [{}, 'a\0b', 'a NUL character cannot be passed to a command'],
    [{}, '\ud83d', 'half of a surrogate pair is no character'],
    [{}, 'é'.repeat(32_769), 'the value is longer than 65536 bytes'],
    [{ type: 'integer' }, '', '"" is not an integer, as in 42'],
    [{ type: 'integer' }, '1.0', '"1.0" is not an integer, as in 42'],
    [{ type: 'integer' }, '007', '"007" is not an integer, as in 42'],
    [{ type: 'integer' }, '1\n', '"1\\n" is not an integer, as in 42'],
    [{ type: 'number' }, '.5', '".5" is not a number, as in 4.2'],
    [{ type: 'number' }, 'NaN', '"NaN" is not a number, as in 4.2'],
    [{ type: 'boolean' }, 'TRUE', '"TRUE" is neither true nor false'],
    [{ type: 'enum', choices: ['a', 'b'] }, 'c', '"c" is not one of a, b'],
    [{ pattern: '[a-z]+' }, 'main; ls', '"main; ls" does not match [a-z]+ as a whole'],
    [{ type: 'integer', maxLength: 2 }, 'abc', '"abc" is not an integer, as in 42'],
    [{ maxLength: 2 }, 'abc', '3 characters are too many: at most 2 are accepted'],
    [{ secret: true, pattern: '[a-z]+' }, 'S3cr3t', 'the value does not match [a-z]+ as a whole'],
    [{ type: 'integer' }, 'y'.repeat(50), `"${'y'.repeat(40)}…" is not an integer, as in 42`],
  ])('%j', (more, value, message) => {
    expect(checkValue(argument(more), value)).toBe(message);
  });
});
