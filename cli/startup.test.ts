// The modules that a subcommand loads before its work decide how fast it starts.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dir, '..');

/** The files that a file loads at once: its imports, except those behind `import()`. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  const path = join(ROOT, file);
  if (found.has(file)) return found;
  found.add(file);
  if (!file.endsWith('.ts')) return found;
  const transpiler = new Bun.Transpiler({ loader: 'ts' });
  // `scanImports` also lists imports of types; the transpiled file has none.
  const source = transpiler.transformSync(readFileSync(path, 'utf8'));
  for (const { path: wanted, kind } of new Bun.Transpiler({ loader: 'js' }).scanImports(source)) {
    if (kind !== 'import-statement') continue;
    const resolved = relative(ROOT, Bun.resolveSync(wanted, dirname(path)));
    if (!resolved.includes('node_modules') && !wanted.startsWith('node:') && !wanted.startsWith('bun:'))
      loadedBy(resolved, found);
  }
  return found;
}

test('svc --help loads the file of no subcommand', () => {
  const loaded = [...loadedBy('cli/program.ts')];
  expect(loaded).toContain('cli/commands.ts');
  expect(loaded.filter((file) => file.startsWith('cli/commands/'))).toEqual([]);
});

test('svc call does without the table of routes and the store of the hub', () => {
  const loaded = [...loadedBy('cli/commands/call.ts'), ...loadedBy('cli/call/call.ts')];
  expect(loaded).toContain('cli/resource/fields.ts');
  expect(loaded).not.toContain('core/api/routes.ts');
  expect(loaded.filter((file) => file.includes('/db/') || file.includes('/build/'))).toEqual([]);
});
