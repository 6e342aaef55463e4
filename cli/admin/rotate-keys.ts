import { readFileSync } from 'node:fs';
import type { Admin } from '@svc/hub/admin/admin';
import { EXIT, Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { withAdmin } from './open.ts';
import type { RotateKeysOptions } from './options.ts';
import { printResult } from './print.ts';

type Rotation = Awaited<ReturnType<Admin['rotateKeys']>>;

const OUTCOME: Readonly<Record<Rotation['did'], string>> = {
  changed_key: 'created a new master key',
  went_on: 'finished an earlier rotation; no new key was created',
  dropped_old: 'dropped the older keys',
  followed_environment: 'everything is now encrypted with the key of SVC_MASTER_KEY',
};

/** `svc admin rotate-keys`; fails when a value is encrypted with an unknown key. */
export async function rotateKeys({ newKeyFile, dropOld, json }: RotateKeysOptions): Promise<void> {
  if (newKeyFile !== undefined && dropOld)
    throw new Failure('--drop-old and --new-key-file cannot be combined');
  const given = newKeyFile === undefined ? {} : { newKey: readKey(newKeyFile) };
  const done = await withAdmin((admin) => admin.rotateKeys({ ...given, ...(dropOld && { dropOld }) }));
  const { did, count, olderKeys, unreadable, objects } = done;
  const line = {
    ...{ did, rewrapped: count, objects: objects.count, older_keys: olderKeys },
    ...{ unreadable: unreadable.map(placeOf), unreadable_objects: objects.unreadable },
  };
  printResult(json ? { json } : {}, line, [
    { label: 'done', text: OUTCOME[did] },
    { label: 'rewrapped', text: plural(count, 'value') },
    { label: 'objects', text: `${objects.count} copied in the object store` },
    { label: 'older keys', text: `${olderKeys} kept` },
    ...unreadable.map((text) => ({ label: 'unreadable', text: Object.values(placeOf(text)).join(' ') })),
    ...objects.unreadable.map((text) => ({ label: 'unreadable', text })),
  ]);
  const lost = unreadable.length + objects.unreadable.length;
  if (lost === 0) return;
  const message = `${plural(lost, 'value')} encrypted with an unknown key`;
  throw new Failure(message, { exitCode: EXIT.failed });
}

function placeOf({ place, scope, id }: Rotation['unreadable'][number]) {
  return { place, scope, id };
}

function readKey(path: string): Uint8Array {
  try {
    const text = readFileSync(path, 'utf8').trim();
    if (/^[0-9a-f]{64}$/i.test(text)) return Uint8Array.fromHex(text);
  } catch (cause) {
    throw new Failure(`${path} cannot be read: ${(cause as Error).message}`);
  }
  throw new Failure(`${path}: 64 hexadecimal digits expected`);
}
