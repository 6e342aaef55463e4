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
import type { HubConfig } from '../config.ts';
import { EnvelopeVault } from '../platform/vault/envelope-vault.ts';
import { type Rewrapped, rewrapAll } from '../secrets/rewrap.ts';

export interface RotateOptions {
  /** A given key instead of a generated one; only when the keys are in the data folder. */
  readonly newKey?: Uint8Array;
  /** Creates no new key; removes the older ones once nothing needs them. */
  readonly dropOld?: boolean;
}

export interface Rotation extends Rewrapped {
  readonly did: 'changed_key' | 'went_on' | 'dropped_old' | 'followed_environment';
  /** The number of older keys that are kept, for example for a backup. */
  readonly olderKeys: number;
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
  const keys = masterKeysOf(config)();
  if (config.masterKey !== undefined) {
    if (newKey !== undefined || dropOld) throw keysInEnvironment();
    return rotation('followed_environment', keys, await rewrapUnder(keys, texts));
  }
  const path = keyFileIn(config.dataDir);
  const left = await rewrapUnder(keys, texts);
  if (dropOld) return dropOlder(path, keys, left);
  if (left.count > 0) return rotation('went_on', keys, left);
  // Nothing needs the keys before the current one.
  const changed: MasterKeys = [newKey ?? newMasterKey(), keys[0]];
  writeKeyFile(path, changed);
  return rotation('changed_key', changed, await rewrapUnder(changed, texts));
}

function dropOlder(path: string, keys: MasterKeys, result: Rewrapped): Rotation {
  const [current] = keys;
  // Some texts need a missing key; keeping the other keys avoids further loss.
  if (result.unreadable.length > 0) return rotation('went_on', keys, result);
  writeKeyFile(path, [current]);
  return rotation('dropped_old', [current], result);
}

function rotation(did: Rotation['did'], keys: MasterKeys, result: Rewrapped): Rotation {
  return { ...result, did, olderKeys: keys.length - 1 };
}

function rewrapUnder(keys: MasterKeys, texts: SealedTexts): Promise<Rewrapped> {
  const [current, ...older] = derivedKeys(() => keys, 'vault')();
  return rewrapAll(texts, new EnvelopeVault(current, older));
}

function keysInEnvironment() {
  const how =
    'put the new key into SVC_MASTER_KEY and the old one into SVC_MASTER_KEY_OLD, for every hub and for this';
  return refuse('invalid_argument', `the keys of this hub are in its environment: ${how}`);
}
