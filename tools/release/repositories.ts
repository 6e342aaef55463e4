import { copyFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Release } from './release.ts';
import { run } from './run.ts';

/** An OpenPGP key that signs repositories: its id in the keyring of the person who releases. */
export type RepositoryKey = string | undefined;

/** A repository for apt: static files, `deb [signed-by=…] URL stable main`. */
export function aptRepository(
  { folder, epochS }: Release,
  debs: readonly string[],
  key: RepositoryKey,
): void {
  const root = join(folder, 'apt');
  const pool = join(root, 'pool', 'main');
  mkdirSync(pool, { recursive: true });
  for (const deb of debs) copyFileSync(deb, join(pool, basename(deb)));
  const architectures = debs.map((deb) => /_([^_]+)\.deb$/.exec(deb)?.[1] ?? 'all');
  for (const architecture of architectures) {
    const place = join(root, 'dists', 'stable', 'main', `binary-${architecture}`);
    mkdirSync(place, { recursive: true });
    const index = run(['apt-ftparchive', '--arch', architecture, 'packages', 'pool/main'], { cwd: root });
    writeFileSync(join(place, 'Packages'), index);
  }
  const options = {
    Origin: 'svc',
    Label: 'svc',
    Suite: 'stable',
    Codename: 'stable',
    Architectures: architectures.join(' '),
    Components: 'main',
    Date: new Date(epochS * 1000).toUTCString().replace('GMT', '+0000'),
  };
  const settings = Object.entries(options).flatMap(([name, value]) => [
    '-o',
    `APT::FTPArchive::Release::${name}=${value}`,
  ]);
  const distribution = join(root, 'dists', 'stable');
  writeFileSync(join(distribution, 'Release'), run(['apt-ftparchive', ...settings, 'release', distribution]));
  if (key === undefined) return;
  gpg(epochS, key, [
    '--clearsign',
    '--output',
    join(distribution, 'InRelease'),
    join(distribution, 'Release'),
  ]);
}

/** A repository for dnf: static files below `baseurl`. */
export function dnfRepository(
  { folder, epochS }: Release,
  rpms: readonly string[],
  key: RepositoryKey,
): void {
  const root = join(folder, 'dnf');
  mkdirSync(root);
  for (const rpm of rpms) {
    const copy = join(root, basename(rpm));
    copyFileSync(rpm, copy);
    // The time of the file is part of the index.
    utimesSync(copy, epochS, epochS);
  }
  run(
    [
      'createrepo_c',
      '--quiet',
      '--no-database',
      '--set-timestamp-to-revision',
      '--revision',
      `${epochS}`,
      '.',
    ],
    {
      cwd: root,
      env: { SOURCE_DATE_EPOCH: `${epochS}` },
    },
  );
  if (key !== undefined) gpg(epochS, key, ['--detach-sign', '--armor', join(root, 'repodata', 'repomd.xml')]);
}

/** Writes the public half of the key, as apt and dnf read it. Returns the file. */
export function repositoryKeyFile({ folder }: Release, key: string): string {
  const file = join(folder, 'svc.asc');
  run(['gpg', '--batch', '--yes', '--armor', '--output', file, '--export', key]);
  return file;
}

/** NOTE: The time of the commit makes signatures of one commit alike. Ed25519 signatures hold nothing random. */
function gpg(epochS: number, key: string, action: readonly string[]): void {
  // The agent outlives gpg. Were it started by gpg below, it would hold the pipes that we read to their end.
  Bun.spawnSync(['gpgconf', '--launch', 'gpg-agent'], {
    env: process.env,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  run(['gpg', '--batch', '--yes', '--faked-system-time', `${epochS}!`, '--local-user', key, ...action]);
}
