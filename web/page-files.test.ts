import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { PAGE_FILES } from './page-files.ts';

test('every lazily loaded page of the router has its module in the list', async () => {
  const routes = await Bun.file(join(import.meta.dir, 'routes.tsx')).text();
  const pairs = routes
    .split('createRoute({')
    .map((route) => [/path: '([^']+)'/.exec(route)?.[1], /import\('\.\/([^']+)'\)/.exec(route)?.[1]] as const)
    .filter(([, module]) => module !== undefined);
  expect(pairs.length).toBeGreaterThan(20);
  expect(pairs).toEqual(Object.entries(PAGE_FILES));
});
