import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HubConfig } from '../config.ts';
import { ObjectKeys } from '../platform/files/object-keys.ts';
import type { OnS3Problem } from '../platform/files/s3-client.ts';
import { S3Files } from '../platform/files/s3-files.ts';
import type { S3Settings } from '../platform/files/s3-settings.ts';
import { derivedKeys, type MasterKeys } from './master-key.ts';

/** What is in the object store, each with its folder there. No execution has the name of a folder. */
const FOLDERS = { artifacts: '', spool: 'spool/' } as const;

/** The artifacts, or the bodies that wait for approval, in an object store. */
export function filesInObjectStore(
  which: keyof typeof FOLDERS,
  s3: S3Settings,
  masterKeys: () => MasterKeys,
  onProblem: OnS3Problem,
): S3Files {
  const keys = new ObjectKeys(derivedKeys(masterKeys, which), s3.encryption === 'key');
  return new S3Files({ ...s3, prefix: `${s3.prefix}${FOLDERS[which]}` }, keys, onProblem);
}

type Place = Pick<HubConfig, 'dataDir' | 's3'>;

/** Remembers in the data folder that objects need the master key, for operators who work without the settings of the store. */
export function noteObjectKeys({ dataDir, s3 }: Place): void {
  if (s3?.encryption === 'key') writeFileSync(noteIn(dataDir), '', { mode: 0o600 });
}

/** Whether objects need the master key, and this process does not know their store. */
export function hasUnknownObjects({ dataDir, s3 }: Place): boolean {
  return s3 === undefined && existsSync(noteIn(dataDir));
}

function noteIn(dataDir: string): string {
  return join(dataDir, 'object-store.encrypted');
}
