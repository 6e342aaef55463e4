import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { licensesText, shippedPackages } from './licenses.ts';

const ROOT = join(import.meta.dir, '../..');
const ROOMS = ['core', 'hub', 'agent', 'cli', 'web'];
const NOT_SHIPPED =
  /\.test\.tsx?$|(?:^|\/)(?:fixtures|node_modules|dist)\/|^vite\.config\.ts$|^preloads\.ts$/;

const packages = shippedPackages(ROOT);

/** The packages that the sources of the program import, scoped names whole. */
function importedPackages(): ReadonlySet<string> {
  const names = ROOMS.flatMap((room) =>
    [...new Bun.Glob('**/*.{ts,tsx,css}').scanSync(join(ROOT, room))]
      .filter((file) => !NOT_SHIPPED.test(file))
      .flatMap((file) => [
        ...readFileSync(join(ROOT, room, file), 'utf8').matchAll(
          /(?:from |import |import\(|@import )['"]((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[^'"]*)?['"]/g,
        ),
      ])
      .map(([, name = '']) => name),
  );
  return new Set(names.filter((name) => !/^(?:@svc\/|bun$|node$)/.test(name)));
}

test('every package that the sources import is among those with a license', () => {
  const known = new Set(packages.map(({ name }) => name));
  const imported = [...importedPackages()];
  expect(imported.length).toBeGreaterThan(30);
  expect(imported.filter((name) => !known.has(name) && !/^(?:node|bun):?/.test(name))).toEqual([
    // Its types alone: nothing of it is in the dashboard.
    'vite',
  ]);
});

test('packages of packages and fonts have their text, and tools of developers have none', () => {
  const text = licensesText(packages, 'own license', 'license of the icons');
  expect(text).toContain('own license');
  expect(text).toContain('Icons of Lucide (ISC, MIT)\n\nlicense of the icons');
  expect(text).toMatch(/^@fontsource\/ibm-plex-sans \S+ \(OFL-1\.1\)$/m);
  expect(text).toContain('SIL OPEN FONT LICENSE');
  expect(text).toMatch(/^scheduler \S+ \(MIT\)$/m);
  expect(text).not.toMatch(/^(?:vite|typescript|playwright-core|lightningcss) /m);
  const silent = packages.filter(({ texts }) => texts.length === 0).map(({ name }) => name);
  expect(silent).toEqual([
    ...['@cfworker/json-schema', '@nodable/entities', '@tokenizer/token', 'pg-types', 'pgpass'],
  ]);
});
