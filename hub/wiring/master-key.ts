import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

/** The key in the data folder, made on the first start, readable by its owner alone (decision 54). */
export function masterKeyIn(dataDir: string): Uint8Array {
  const path = join(dataDir, 'master.key');
  // `wx`: of two hubs that start at once one makes it, and the other reads it.
  if (!existsSync(path)) writeOnce(path, randomBytes(BYTES).toHex());
  const text = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`${path}: 64 hexadecimal digits expected`);
  return Uint8Array.fromHex(text);
}

/** A key for one purpose; one that is known says nothing about the others. */
export function derivedKey(master: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', master, new Uint8Array(0), `svc ${purpose}`, BYTES));
}

function writeOnce(path: string, text: string): void {
  try {
    writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
