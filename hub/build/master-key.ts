import { hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HubConfig } from '../config.ts';
import { ConfigError } from '../platform/read-variable.ts';

/** The keys of a hub, 32 bytes each. The first key seals, all of them open (decision 54, configuration of a hub). */
export type MasterKeys = readonly [current: Uint8Array, ...older: Uint8Array[]];

const BYTES = 32;
const LINE = /^[0-9a-f]{64}$/;

/**
 * The source of the keys: the environment, or the file in the data folder. The file is created on the first start and read again
 * when it changes. The returned array is the same object until then.
 */
export function masterKeysOf({ dataDir, masterKey, olderMasterKeys }: HubConfig): () => MasterKeys {
  if (masterKey !== undefined) {
    const keys: MasterKeys = [masterKey, ...olderMasterKeys];
    return () => keys;
  }
  const path = keyFileIn(dataDir);
  makeOnce(path);
  return followed(path);
}

/** One key per line, readable only by the owner of the file. */
export function keyFileIn(dataDir: string): string {
  return join(dataDir, 'master.key');
}

export function newMasterKey(): Uint8Array {
  return new Uint8Array(randomBytes(BYTES));
}

/** Replaces the file atomically: a reader gets either the old keys or the new ones. */
export function writeKeyFile(path: string, keys: MasterKeys): void {
  const next = `${path}.new`;
  writeFileSync(next, linesOf(keys), { mode: 0o600, flush: true });
  renameSync(next, path);
  const folder = openSync(join(path, '..'), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Keys for one purpose. A known key reveals nothing about the keys for other purposes. */
export function derivedKeys(keys: () => MasterKeys, purpose: string): () => MasterKeys {
  let [from, derived]: [MasterKeys?, MasterKeys?] = [];
  return () => {
    const now = keys();
    if (derived !== undefined && now === from) return derived;
    const [current, ...older] = now;
    [from, derived] = [now, [derivedKey(current, purpose), ...older.map((key) => derivedKey(key, purpose))]];
    return derived;
  };
}

function derivedKey(master: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', master, new Uint8Array(0), `svc ${purpose}`, BYTES));
}

/** Each use costs only a check of the file's times. */
function followed(path: string): () => MasterKeys {
  let known = read(path);
  return () => {
    const stamp = stampOf(path);
    if (stamp !== known.stamp) known = read(path);
    return known.keys;
  };
}

function read(path: string): { readonly stamp: string; readonly keys: MasterKeys } {
  const stamp = stampOf(path);
  const [current, ...older] = readFileSync(path, 'utf8').trim().split('\n');
  return { stamp, keys: [keyOf(path, current), ...older.map((line) => keyOf(path, line))] };
}

function keyOf(path: string, line = ''): Uint8Array {
  if (!LINE.test(line)) throw new ConfigError(`${path}: 64 hexadecimal digits in each line expected`);
  return Uint8Array.fromHex(line);
}

function stampOf(path: string): string {
  const { ino, mtimeNs, size } = statSync(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

/** Of two hubs that start at once, one creates the file and the other reads it. */
function makeOnce(path: string): void {
  try {
    writeFileSync(path, linesOf([newMasterKey()]), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function linesOf(keys: MasterKeys): string {
  return keys.map((key) => `${Buffer.from(key).toString('hex')}\n`).join('');
}
