import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { PATH_PARAMETERS } from './contract/path-parameters.ts';
import { refusalsOf } from './contract/refusals-of.ts';
import { parametersOf, type Route } from './contract/route.ts';
import { REFUSAL_STATUS } from './refusal-status.ts';
import { AREAS, ROUTES } from './routes.ts';

const rows: [name: string, row: Route][] = Object.entries(ROUTES);

test('every row is in one area, and every area in the table', () => {
  const inAreas = Object.values(AREAS).flatMap(({ rows: area }) => Object.keys(area));
  expect(inAreas.sort()).toEqual(rows.map(([name]) => name).sort());
});

test('no two rows have the same method and path', () => {
  const seen = rows.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  expect(new Set(seen).size).toBe(seen.length);
});

describe.each(rows)('%s', (_name, row) => {
  test('has words in its path that are known', () => {
    for (const word of parametersOf(row.path)) expect(Object.keys(PATH_PARAMETERS)).toContain(word);
  });

  test('has examples that fit', () => {
    if (row.body !== undefined) expect(row.body.schema.safeParse(row.body.example).error).toBeUndefined();
    for (const answer of Object.values(row.answers)) {
      const shown = answer.kind === 'json' ? answer : answer.kind === 'media' ? answer.json : undefined;
      if (shown !== undefined) expect(shown.schema.safeParse(shown.example).error).toBeUndefined();
    }
  });

  test('takes no body with GET and DELETE, and objects that are strict with the others', () => {
    if (row.method === 'GET' || row.method === 'DELETE') expect(row.body).toBeUndefined();
    if (row.body === undefined) return;
    const schema = z.toJSONSchema(row.body.schema, { io: 'input' });
    const { $defs = {} } = schema;
    for (const one of [schema, ...Object.values($defs)]) {
      if (one.type === 'object' && one.properties !== undefined) expect(one.additionalProperties).toBe(false);
    }
  });

  test('says what is in the fields of its answers by a schema that programs can read', () => {
    for (const answer of Object.values(row.answers))
      if (answer.kind === 'json') expect(() => z.toJSONSchema(answer.schema)).not.toThrow();
  });

  test('answers with success first', () => {
    expect(Object.keys(row.answers)[0]).toMatch(row.path === '/agents/connect' ? /^101$/ : /^(?:2\d\d|303)$/);
  });

  test('has a summary in one line', () => {
    expect(row.summary).toMatch(/^[A-Z].{3,70}[^.]$/);
  });

  test('may refuse with codes that have a status', () => {
    for (const code of refusalsOf(row)) expect(REFUSAL_STATUS[code]).toBeGreaterThanOrEqual(400);
  });
});
