import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtPack } from '@svc/hub/dashboard/asset-pack';
import { siteFiles } from '../docs/site.ts';
import { ownModes } from './package-tree.ts';
import type { Release } from './release.ts';
import { run } from './run.ts';

const ROOT = join(import.meta.dir, '..', '..');
const FONTS = ['ibm-plex-sans-latin-400', 'ibm-plex-sans-latin-600', 'ibm-plex-mono-latin-400'];

/** Packs the documentation as static files for any web server: `svc-docs-VERSION.tar.gz`. Returns the file. */
export async function documentationArchive({ version, folder, epochS }: Release): Promise<string> {
  const name = `svc-docs-${version}`;
  const staged = join(folder, name);
  const put = (path: string, bytes: Uint8Array) => {
    mkdirSync(dirname(join(staged, path)), { recursive: true });
    writeFileSync(join(staged, path), bytes);
  };
  for (const { path, bytes } of await siteFiles(ROOT)) put(path, bytes);
  const dashboard = await builtPack('dashboard')();
  for (const font of FONTS.map((one) => `${one}-normal.woff2`)) {
    const bytes = dashboard?.font(font)?.bytes.identity;
    if (bytes === undefined) throw new Error(`the dashboard has no font ${font}`);
    put(`assets/${font}`, bytes);
  }
  ownModes(staged);
  const file = join(folder, `${name}.tar.gz`);
  const order = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${epochS}`];
  const compress = '--use-compress-program=gzip -9 -n';
  run(['tar', '--create', '--format=ustar', compress, ...order, `--file=${file}`, name], { cwd: folder });
  rmSync(staged, { recursive: true });
  return file;
}
