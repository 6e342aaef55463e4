import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { AssetPack } from '@svc/hub/dashboard/asset-pack';
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
  const pack = await packOf(await builtFiles(), stamp);
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
