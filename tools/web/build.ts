import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { AssetPack } from '@svc/hub/dashboard/asset-pack';
import { ownLicenses } from './licenses.ts';
import { packOf } from './pack.ts';
import { sourceStamp } from './stamp.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACK = join(ROOT, 'web/dist/dashboard.pack');

/** Builds the dashboard unless it was built from exactly these sources; answers whether it did. */
export async function buildWeb(onBegin: () => void = () => {}): Promise<boolean> {
  const stamp = sourceStamp(ROOT);
  if ((await builtStamp()) === stamp) return false;
  onBegin();
  // Loaded when needed: a start that builds nothing does not wait for it.
  const { builtFiles } = await import('../../web/vite.config.ts');
  const licenses = ownLicenses(ROOT);
  const path = `assets/licenses-${Bun.hash(licenses).toString(36)}.txt`;
  const files = [...(await builtFiles(`/${path}`)), { path, bytes: Buffer.from(licenses) }];
  const pack = await packOf(files, stamp);
  mkdirSync(join(ROOT, 'web/dist'), { recursive: true });
  // At once: a hub may be reading the one before.
  const unfinished = `${PACK}.${process.pid}`;
  await Bun.write(unfinished, pack);
  renameSync(unfinished, PACK);
  return true;
}

async function builtStamp(): Promise<string | undefined> {
  const file = Bun.file(PACK);
  try {
    return new AssetPack(await file.bytes()).stamp;
  } catch {
    // Not there, or of another version of the format.
    return undefined;
  }
}
