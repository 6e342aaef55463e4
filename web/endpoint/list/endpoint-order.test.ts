import { expect, test } from 'bun:test';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { inOrder, nextOrder, orderText, readOrder } from './endpoint-order.ts';
import type { RecentFigures } from './recent-figures.ts';

const endpoint = (slug: string, agent: string) => ({ slug, agent_name: agent }) as WireEndpoint;
const ENDPOINTS = [endpoint('a', 'two'), endpoint('b', 'one'), endpoint('c', 'one'), endpoint('d', 'two')];
const FIGURES: Readonly<Record<string, RecentFigures>> = {
  a: { successRate: 1, p95Ms: 900, lastAt: '2026-11-20T12:00:00.000Z' },
  b: { successRate: 0.5, p95Ms: 2_000, lastAt: '2026-11-20T10:00:00.000Z' },
  c: { successRate: 1, p95Ms: 10, lastAt: '2026-11-20T14:00:00.000+02:00' },
};

test.each([
  ['name', 'abcd'],
  ['-name', 'dcba'],
  ['success', 'bacd'],
  ['-success', 'acbd'],
  ['p95', 'cabd'],
  ['-p95', 'bacd'],
  ['last', 'bacd'],
  ['-last', 'acbd'],
  ['agent', 'bcad'],
  ['-agent', 'adbc'],
])('ordered by %s the endpoints are %s; one that never ran is last by each figure', (text, slugs) => {
  const order = readOrder(text) ?? expect.unreachable();
  const ordered = inOrder(ENDPOINTS, order, (slug) => FIGURES[slug]);
  expect(ordered.map(({ slug }) => slug).join('')).toBe(slugs);
});

test('an order is read from its text, the default has none, and others are ignored', () => {
  expect(orderText({ by: 'name', direction: 'ascending' })).toBeUndefined();
  for (const text of ['-name', 'p95', '-last'])
    expect(orderText(readOrder(text) ?? expect.unreachable())).toBe(text);
  for (const text of ['', 'size', '--name', 'toString', 7]) expect(readOrder(text)).toBeUndefined();
});

test('a first press puts the worst or the newest first, a second one turns the order', () => {
  const first = nextOrder({ by: 'name', direction: 'ascending' }, 'success');
  expect(first).toEqual({ by: 'success', direction: 'ascending' });
  expect(nextOrder(first, 'p95')).toEqual({ by: 'p95', direction: 'descending' });
  expect(nextOrder(first, 'success')).toEqual({ by: 'success', direction: 'descending' });
});
