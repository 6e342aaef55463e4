import { expect, test } from 'bun:test';
import { parseCron } from './cron.ts';
import { nextFires } from './fire-times.ts';
import { FIRE_TABLE } from './fixtures/fire-table.ts';

test.each(FIRE_TABLE)('"%s" after %s fires at %s', (expression, after, fires) => {
  const parsed = parseCron(expression);
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  const times = nextFires(parsed.fields, Date.parse(`${after}Z`), 3);
  expect(times.map((timeMs) => new Date(timeMs).toISOString().slice(0, 16)).join(' ')).toBe(fires);
});

test('the table has more than a hundred of them', () => {
  expect(new Set(FIRE_TABLE.map(([expression]) => expression)).size).toBeGreaterThan(100);
});
