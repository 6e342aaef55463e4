import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { AssetPack } from '@svc/hub/dashboard/asset-pack';
import { packOf } from '../web/pack.ts';
import { sourceStamp } from '../web/stamp.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACK = join(ROOT, 'web/dist/documentation.pack');
const SOURCES = [
  'docs',
  'tools/docs',
  'tools/recording',
  'tools/web',
  'web/design/tokens.css',
  'web/icon.svg',
  'package.json',
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'STYLE.md',
  'package-lock.json',
];

/** Builds the documentation for the hub, unless it was built from exactly these sources. */
export async function buildDocumentation(): Promise<void> {
  const stamp = sourceStamp(ROOT, SOURCES);
  if ((await builtStamp()) === stamp) return;
  const { siteFiles } = await import('./site.ts');
  const pack = await packOf(await siteFiles(ROOT), stamp, ['gzip']);
  mkdirSync(join(ROOT, 'web/dist'), { recursive: true });
  // Replaces the file in one step, because a hub may be reading the one before.
  const unfinished = `${PACK}.${process.pid}`;
  await Bun.write(unfinished, pack);
  renameSync(unfinished, PACK);
}

async function builtStamp(): Promise<string | undefined> {
  try {
    return new AssetPack(await Bun.file(PACK).bytes()).stamp;
  } catch {
    // Not there, or of another version of the format.
    return undefined;
  }
}
