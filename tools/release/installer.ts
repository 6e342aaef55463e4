import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Release } from './release.ts';
import { run } from './run.ts';

const SCRIPT = join(import.meta.dir, '..', '..', 'deploy', 'packages', 'install.sh');

/** Writes `install.sh` with the version, the address of the release and the public half of the key that signs it. */
export function writeInstaller({ folder, version }: Release, baseUrl: string, publicKey: string): string {
  const values: Readonly<Record<string, string>> = {
    BASE_URL: baseUrl.replace(/\/$/, ''),
    VERSION: version,
    MINISIGN_KEY: publicKey,
  };
  const text = readFileSync(SCRIPT, 'utf8').replace(/@([A-Z_]+)@/g, (mark, name) => values[name] ?? mark);
  const file = join(folder, 'install.sh');
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

/** The public half of a minisign key, as one line of base64. */
export function publicKeyOf(folder: string, keyFile: string): string {
  const file = join(folder, 'minisign.pub');
  run(['minisign', '-R', '-W', '-s', keyFile, '-p', file]);
  const [, key = ''] = readFileSync(file, 'utf8').split('\n');
  rmSync(file);
  return key;
}
