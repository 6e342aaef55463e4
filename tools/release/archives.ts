import { copyFileSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ownModes } from './package-tree.ts';
import type { Release } from './release.ts';
import { run } from './run.ts';
import type { ReleaseTarget } from './targets.ts';

/** Packs files into `svc-VERSION-TARGET.tar.zst`, for Windows into a `.zip`, below a folder of that name. Returns the file. */
export function archive(release: Release, target: ReleaseTarget, files: readonly string[]): string {
  const name = `svc-${release.version}-${target.name}`;
  const staged = join(release.folder, name);
  mkdirSync(staged);
  for (const file of files) copyFileSync(file, join(staged, basename(file)));
  ownModes(staged);
  const packed = target.os === 'windows' ? zip(release, name) : tarZst(release, name);
  rmSync(staged, { recursive: true });
  return packed;
}

function tarZst(release: Release, name: string): string {
  // One thread: how zstd cuts its input depends on their number.
  return tarOf(release, {
    from: release.folder,
    name,
    fileName: `${name}.tar.zst`,
    compress: `zstd -${release.level} -T1`,
  });
}

/** Packs a folder into a `.tar.gz` that every tar reads. Returns the file. */
export function tarGz(release: Release, folder: PackedFolder): string {
  ownModes(join(folder.from, folder.name));
  return tarOf(release, { ...folder, compress: 'gzip -9 -n', format: 'ustar' });
}

interface PackedFolder {
  /** The folder that contains it. */
  readonly from: string;
  readonly name: string;
  /** The name of the archive. */
  readonly fileName: string;
}

/** The same files give the same bytes: sorted, without owners, with the time of the release. */
function tarOf(
  { folder, epochS }: Release,
  {
    from,
    name,
    fileName,
    compress,
    format,
  }: PackedFolder & { readonly compress: string; readonly format?: string },
): string {
  const file = join(folder, fileName);
  const order = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${epochS}`];
  const how = [...(format === undefined ? [] : [`--format=${format}`]), `--use-compress-program=${compress}`];
  run(['tar', '--create', ...how, ...order, `--file=${file}`, name], { cwd: from });
  return file;
}

function zip({ folder, epochS }: Release, name: string): string {
  const file = join(folder, `${name}.zip`);
  const inside = [...new Bun.Glob(`${name}/*`).scanSync(folder)].sort();
  for (const path of inside) utimesSync(join(folder, path), epochS, epochS);
  run(['zip', '-X', '-q', '-D', file, ...inside], { cwd: folder });
  return file;
}
