import { expect, test } from 'bun:test';
import { isSlug } from './slug.ts';

test.each(['a', '0', 'deploy', 'deploy-prod_2', 'a'.repeat(64)])('%s is a slug', (text) => {
  expect(isSlug(text)).toBe(true);
});

test.each(['', '-a', '_a', 'A', 'a b', 'a/b', 'a.b', 'é', 'a\n', 'a'.repeat(65)])('%j is no slug', (text) => {
  expect(isSlug(text)).toBe(false);
});
