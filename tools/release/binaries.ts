import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../compile.ts';
import type { ReleaseTarget } from './targets.ts';

const RUNTIMES = join(import.meta.dir, 'node_modules', '@oven');

/** Bun's runtime for a target, or undefined where the packages of this folder are not installed. */
export function runtimeOf({ runtime, os }: ReleaseTarget): string | undefined {
  const file = join(RUNTIMES, runtime, 'bin', os === 'windows' ? 'bun.exe' : 'bun');
  return existsSync(file) ? file : undefined;
}

/** Where `svc upgrade` finds later releases, and the public key that signs them. */
export interface UpgradeSource {
  readonly url: string;
  readonly key: string;
}

/** Compiles the program for one machine into a folder of its own. Returns the file. */
export function compileFor(
  target: ReleaseTarget,
  workFolder: string,
  upgrades: UpgradeSource | undefined,
): string {
  const folder = join(workFolder, target.name);
  mkdirSync(folder, { recursive: true });
  const runtime = runtimeOf(target);
  if (runtime === undefined) throw new Error(`${target.runtime} is not installed in tools/release`);
  // The same name for each machine: it is part of the content.
  const release = upgrades === undefined ? undefined : { ...upgrades, target: target.name };
  compile(join(folder, 'svc'), { name: `bun-${target.name}`, runtime, release });
  return join(folder, target.os === 'windows' ? 'svc.exe' : 'svc');
}
