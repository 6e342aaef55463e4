import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import lock from './image-packages.json' with { type: 'json' };
import { run } from './run.ts';

/** A processor as images and Debian call it. */
export type ImageArchitecture = 'amd64' | 'arm64';

/**
 * Unpacks the Debian packages of the image for a processor into `folder`, as image-packages.json names them with their digests. Returns
 * the root with their files.
 */
export function imagePackages(folder: string, architecture: ImageArchitecture): string {
  const wanted = lock.filter((entry) => entry.architecture === architecture || entry.architecture === 'all');
  const versions = wanted.map(({ name, version }) => `${name}=${version}`);
  downloadPackages(folder, architecture, versions);
  const root = join(folder, 'root');
  for (const { name, version, architecture: processor, sha256 } of wanted) {
    const file = join(folder, `${name}_${version}_${processor}.deb`);
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (digest !== sha256)
      throw new Error(`${file} has the digest ${digest}: image-packages.json says ${sha256}`);
    run(['dpkg-deb', '--extract', file, root]);
  }
  return root;
}

/**
 * Downloads Debian packages for a processor into `folder`, each as `name` or `name=version`. apt has lists of its own for this, so the
 * processor of this machine does not matter.
 */
export function downloadPackages(
  folder: string,
  architecture: ImageArchitecture,
  packages: readonly string[],
): void {
  const state = join(folder, 'state');
  mkdirSync(join(state, 'lists/partial'), { recursive: true });
  mkdirSync(join(folder, 'archives/partial'), { recursive: true });
  writeFileSync(join(state, 'status'), '');
  const settings = {
    'Dir::State': state,
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': folder,
    'Acquire::Languages': 'none',
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  run(['apt-get', ...options, 'update', '-qq']);
  run(['apt-get', ...options, 'download', '-qq', ...packages], { cwd: folder });
}
