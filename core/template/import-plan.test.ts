import { expect, test } from 'bun:test';
import { templateOf } from './fixtures/templates.ts';
import { importPlan } from './import-plan.ts';

const template = templateOf('logs');
const plan = (...existing: string[]) => {
  const { create, skipped } = importPlan(template, new Set(existing));
  return { create: create.map(({ slug }) => slug), skipped };
};

test('an import makes every endpoint of the template, in its order', () => {
  expect(plan('other')).toEqual({ create: ['logs', 'nightly'], skipped: [] });
});

test('an import leaves an endpoint with the same slug unchanged, and reports it', () => {
  expect(plan('logs', 'other')).toEqual({
    create: ['nightly'],
    skipped: [{ slug: 'logs', reason: 'slug_taken' }],
  });
});

test('a second import makes nothing', () => {
  expect(plan('nightly', 'logs')).toEqual({
    create: [],
    skipped: [
      { slug: 'logs', reason: 'slug_taken' },
      { slug: 'nightly', reason: 'slug_taken' },
    ],
  });
});
