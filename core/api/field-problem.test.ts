import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { fieldProblems, refuseFields } from './field-problem.ts';

const schema = z.strictObject({
  name: z.string({ error: 'a name' }).min(1, { error: 'a name' }),
  count: z.int().min(1).optional(),
  role: z.enum(['admin', 'member']).optional(),
  tags: z.array(z.string()).max(2).optional(),
});

describe('a wrong field is reported with its path and what it accepts', () => {
  const table: [value: unknown, message: string][] = [
    [{}, 'name: a name expected'],
    [{ name: '' }, 'name: a name expected'],
    [{ name: null }, 'name: a name expected'],
    [{ name: 'x', count: 'y' }, 'count: a number expected'],
    [{ name: 'x', count: 1.5 }, 'count: a whole number expected'],
    [{ name: 'x', count: 0 }, 'count: at least 1 expected'],
    [{ name: 'x', role: 'owner' }, 'role: one of admin, member expected'],
    [{ name: 'x', tags: 'a' }, 'tags: a list expected'],
    [{ name: 'x', tags: ['a', 1] }, 'tags.1: text expected'],
    [{ name: 'x', tags: ['a', 'b', 'c'] }, 'tags: at most 2 expected'],
    [{ name: 'x', rolle: 'admin' }, 'rolle: there is no such field; did you mean "role"?'],
    [{ name: 'x', other: 1 }, 'other: there is no such field'],
    [[], 'the body: an object expected'],
    [null, 'the body: an object expected'],
  ];
  test.each(table)('%j', (value, message) => {
    expect(refuseFields(fieldProblems(schema, value)).message).toBe(message);
  });
});

test('all wrong fields are reported at once, each by itself in the details', () => {
  const refusal = refuseFields(fieldProblems(schema, { count: 'y', x: 1 }));
  expect([refusal.code, refusal.details.fields]).toEqual([
    'invalid_argument',
    [
      { field: 'name', message: 'a name expected' },
      { field: 'count', message: 'a number expected' },
      { field: 'x', message: 'there is no such field' },
    ],
  ]);
});

test('an answer stays small, however much was wrong', () => {
  const wrong = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${'x'.repeat(500)}${n}`, 1]));
  const refusal = refuseFields(fieldProblems(schema, { name: 'x', ...wrong }));
  expect(refusal.message.length).toBeLessThan(5_000);
  expect(refusal.message).toEndWith('; and 4980 more');
});
