import { refuse } from '@svc/core/refusal';
import type { Store } from '../build/create-store.ts';
import {
  derivedKeys,
  keyFileIn,
  type MasterKeys,
  masterKeysOf,
  newMasterKey,
  writeKeyFile,
} from '../build/master-key.ts';
import { filesInObjectStore, hasUnknownObjects } from '../build/object-store.ts';
import type { HubConfig } from '../config.ts';
import type { S3Settings } from '../platform/files/s3-settings.ts';
import { EnvelopeVault } from '../platform/vault/envelope-vault.ts';
import { type Rewrapped, rewrapAll } from '../secrets/rewrap.ts';

export interface RotateOptions {
  /** A given key instead of a generated one; only when the keys are in the data folder. */
  readonly newKey?: Uint8Array;
  /** Creates no new key; removes the older ones once nothing needs them. */
  readonly dropOld?: boolean;
}

export interface Rotation extends Renewed {
  readonly did: 'changed_key' | 'went_on' | 'dropped_old' | 'followed_environment';
  /** The number of older keys that are kept, for example for a backup. */
  readonly olderKeys: number;
}

/** What has the current key now. */
interface Renewed extends Rewrapped {
  readonly objects: {
    readonly count: number;
    /** The names of objects whose key is not here. */
    readonly unreadable: readonly string[];
  };
}

type SealedTexts = Store['sealedTexts'];

/**
 * Replaces the master key while hubs run. It can be killed at any point (decision 54, configuration of a hub).
 *
 * The file has the new key, followed by the old one, before anything is sealed with the new key. Hubs reread the file by
 * themselves. While some text still needs the old key, the next run continues with the new key and creates no further one.
 */
export async function rotateKeys(
  config: HubConfig,
  { sealedTexts: texts }: Pick<Store, 'sealedTexts'>,
  { newKey, dropOld = false }: RotateOptions,
): Promise<Rotation> {
  if (hasUnknownObjects(config)) throw objectsUnknown();
  const keys = masterKeysOf(config)();
  const renew = (under: MasterKeys) => renewUnder(config, under, texts);
  if (config.masterKey !== undefined) {
    if (newKey !== undefined || dropOld) throw keysInEnvironment();
    return rotation('followed_environment', keys, await renew(keys));
  }
  const path = keyFileIn(config.dataDir);
  const left = await renew(keys);
  if (dropOld) return dropOlder(path, keys, left);
  if (left.count + left.objects.count > 0) return rotation('went_on', keys, left);
  // Nothing needs the keys before the current one.
  const changed: MasterKeys = [newKey ?? newMasterKey(), keys[0]];
  writeKeyFile(path, changed);
  return rotation('changed_key', changed, await renew(changed));
}

function dropOlder(path: string, keys: MasterKeys, result: Renewed): Rotation {
  const [current] = keys;
  // Some texts or objects need a missing key; keeping the other keys avoids further loss.
  if (result.unreadable.length + result.objects.unreadable.length > 0)
    return rotation('went_on', keys, result);
  writeKeyFile(path, [current]);
  return rotation('dropped_old', [current], result);
}

function rotation(did: Rotation['did'], keys: MasterKeys, result: Renewed): Rotation {
  return { ...result, did, olderKeys: keys.length - 1 };
}

async function renewUnder(
  { s3 }: Pick<HubConfig, 's3'>,
  keys: MasterKeys,
  texts: SealedTexts,
): Promise<Renewed> {
  const [current, ...older] = derivedKeys(() => keys, 'vault')();
  const rewrapped = await rewrapAll(texts, new EnvelopeVault(current, older));
  return { ...rewrapped, objects: await renewObjects(s3, keys) };
}

/** Copies within the object store; no bytes come here. */
async function renewObjects(s3: HubConfig['s3'], keys: MasterKeys): Promise<Renewed['objects']> {
  let count = 0;
  const unreadable: string[] = [];
  for (const which of s3 === undefined ? [] : (['artifacts', 'spool'] as const)) {
    let problem: unknown;
    const files = filesInObjectStore(
      which,
      s3 as S3Settings,
      () => keys,
      (one) => {
        problem = one;
      },
    );
    const renewed = await files.renewKeys().catch((error: unknown) => {
      throw storeFailed(problem ?? error);
    });
    count += renewed.count;
    unreadable.push(...renewed.unreadable);
  }
  return { count, unreadable };
}

function storeFailed(problem: unknown) {
  return refuse(
    'unavailable',
    `${problem instanceof Error ? problem.message : String(problem)}; run the command again, it continues`,
  );
}

function objectsUnknown() {
  return refuse(
    'invalid_argument',
    'files of this hub are encrypted in an object store with the master key: run this with the SVC_S3_… settings of the hub',
  );
}

function keysInEnvironment() {
  const how =
    'put the new key into SVC_MASTER_KEY and the old one into SVC_MASTER_KEY_OLD, for every hub and for this';
  return refuse('invalid_argument', `the keys of this hub are in its environment: ${how}`);
}
