import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtPack } from '@svc/hub/dashboard/asset-pack';
import { FONTS, siteFiles } from '../docs/site.ts';
import { tarGz } from './archives.ts';
import type { Release } from './release.ts';

const ROOT = join(import.meta.dir, '..', '..');

/** Packs the documentation as static files for any web server: `svc-docs-VERSION.tar.gz`. Returns the file. */
export async function documentationArchive(release: Release): Promise<string> {
  const { version, folder } = release;
  const name = `svc-docs-${version}`;
  const staged = join(folder, name);
  const put = (path: string, bytes: Uint8Array) => {
    mkdirSync(dirname(join(staged, path)), { recursive: true });
    writeFileSync(join(staged, path), bytes);
  };
  for (const { path, bytes } of await siteFiles(ROOT)) put(path, bytes);
  const dashboard = await builtPack('dashboard')();
  for (const font of FONTS) {
    const bytes = dashboard?.font(font)?.bytes.identity;
    if (bytes === undefined) throw new Error(`the dashboard has no font ${font}`);
    put(`assets/${font}`, bytes);
  }
  const file = tarGz(release, { from: folder, name, fileName: `${name}.tar.gz` });
  rmSync(staged, { recursive: true });
  return file;
}
