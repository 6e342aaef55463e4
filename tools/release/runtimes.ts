import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import lock from './package-lock.json';
import { run } from './run.ts';
import type { ReleaseTarget } from './targets.ts';

const INSTALLED = join(import.meta.dir, 'node_modules', '@oven');

/** The path of Bun's runtime for a target, once it is installed. */
export function runtimeOf({ runtime, os }: ReleaseTarget): string {
  return join(INSTALLED, runtime, 'bin', os === 'windows' ? 'bun.exe' : 'bun');
}

/**
 * Installs the runtimes that these targets lack, and no others: all nine take 900 MB. The versions and the checksums are those of
 * the lock file of this folder.
 */
export function installRuntimes(targets: readonly ReleaseTarget[]): void {
  const missing = targets.filter((target) => !existsSync(runtimeOf(target))).map(({ runtime }) => runtime);
  if (missing.length === 0) return;
  mkdirSync(INSTALLED, { recursive: true });
  const folder = mkdtempSync(join(INSTALLED, '.install-'));
  try {
    const names = missing.map((runtime) => `@oven/${runtime}`);
    const { '': root, ...packages } = lock.packages;
    const dependencies = only(root.dependencies, names);
    writeJson(join(folder, 'package.json'), { private: true, dependencies });
    const wanted = only(
      packages,
      names.map((name) => `node_modules/${name}`),
    );
    writeJson(join(folder, 'package-lock.json'), { ...lock, packages: { '': { dependencies }, ...wanted } });
    // npm installs packages for other machines only with --force.
    const npm = ['npm', 'ci', '--force', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    run(npm, { cwd: folder });
    for (const runtime of missing)
      renameSync(join(folder, 'node_modules', '@oven', runtime), join(INSTALLED, runtime));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function only<Value>(all: Readonly<Record<string, Value>>, keys: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)));
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, JSON.stringify(value));
}
