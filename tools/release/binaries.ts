import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../compile.ts';
import { installRuntimes, runtimeOf } from './runtimes.ts';
import type { ReleaseTarget } from './targets.ts';

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
  installRuntimes([target]);
  // The same name for each machine: it is part of the content.
  const release = upgrades === undefined ? undefined : { ...upgrades, target: target.name };
  compile(join(folder, 'svc'), { name: `bun-${target.name}`, runtime: runtimeOf(target), release });
  return join(folder, target.os === 'windows' ? 'svc.exe' : 'svc');
}
