import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layOut, ownModes } from './package-tree.ts';
import type { Release } from './release.ts';
import { run } from './run.ts';

const SCRIPTS = join(import.meta.dir, '..', '..', 'deploy', 'packages');

/** Makes the Debian package of a binary. Returns the file. */
export function debPackage(release: Release, architecture: string, binary: string): string {
  const tree = join(release.folder, `deb-${architecture}`);
  layOut(tree, binary);
  const control = join(tree, 'DEBIAN');
  mkdirSync(control);
  writeFileSync(join(control, 'control'), controlText(release, architecture, statSync(binary).size));
  for (const script of ['postinst', 'prerm', 'postrm'])
    copyFileSync(join(SCRIPTS, `${script}.sh`), join(control, script));
  run(['chmod', '0755', ...['postinst', 'prerm', 'postrm'].map((script) => join(control, script))]);
  ownModes(control);
  const file = join(release.folder, `svc_${release.version}_${architecture}.deb`);
  run(
    [
      'dpkg-deb',
      '--root-owner-group',
      '-Zzstd',
      `-z${release.level}`,
      '--threads-max=1',
      '--build',
      tree,
      file,
    ],
    {
      env: { SOURCE_DATE_EPOCH: `${release.epochS}` },
    },
  );
  rmSync(tree, { recursive: true });
  return file;
}

/** `daemontools` also has a program called svc. */
function controlText({ version }: Release, architecture: string, bytes: number): string {
  return `Package: svc
Version: ${version}
Architecture: ${architecture}
Maintainer: the maintainers of svc <maintainers@svc.invalid>
Installed-Size: ${Math.ceil(bytes / 1024)}
Section: net
Priority: optional
Depends: libc6 (>= 2.31)
Suggests: crun, mmdebstrap, e2fsprogs
Conflicts: daemontools
Description: turns commands into HTTP endpoints that stream
 A person lists commands in a file. The agent on their machine dials out to
 the hub and registers them, and callers get the output as it happens. The
 program is hub, agent, standalone server and command line in one file.
`;
}
