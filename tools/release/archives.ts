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

function tarZst({ folder, epochS, level }: Release, name: string): string {
  const file = join(folder, `${name}.tar.zst`);
  // One thread: how zstd cuts its input depends on their number.
  const order = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${epochS}`];
  run(['tar', '--create', `--use-compress-program=zstd -${level} -T1`, ...order, `--file=${file}`, name], {
    cwd: folder,
  });
  return file;
}

function zip({ folder, epochS }: Release, name: string): string {
  const file = join(folder, `${name}.zip`);
  const inside = [...new Bun.Glob(`${name}/*`).scanSync(folder)].sort();
  for (const path of inside) utimesSync(join(folder, path), epochS, epochS);
  run(['zip', '-X', '-q', '-D', file, ...inside], { cwd: folder });
  return file;
}
