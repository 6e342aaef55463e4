import { expect, test } from 'bun:test';
import type { WireExecution } from '../../execution/wire-execution.ts';
import { rateWords, recentFigures } from './recent-figures.ts';

const run = (status: WireExecution['status'], duration_ms?: number) =>
  ({ status, created_at: '2026-11-20T12:00:00.000Z', duration_ms }) as WireExecution;

test('the rate counts what ran to an end, and neither what runs nor what was cancelled or never ran', () => {
  const figures = recentFigures([
    run('running'),
    run('pending_approval'),
    run('cancelled', 900),
    run('denied'),
    run('succeeded', 10),
    run('succeeded', 20),
    run('failed', 30),
    run('timed_out', 40),
  ]);
  expect(figures).toEqual({ successRate: 0.5, p95Ms: 40, lastAt: '2026-11-20T12:00:00.000Z' });
});

test('an endpoint that never ran has no figures', () => {
  expect(recentFigures([])).toEqual({ successRate: undefined, p95Ms: undefined, lastAt: undefined });
});

test('a single failure among many is not rounded away', () => {
  expect([rateWords(1), rateWords(0.999), rateWords(0)]).toEqual(['100 %', '99 %', '0 %']);
});
