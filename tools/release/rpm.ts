import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layOut } from './package-tree.ts';
import type { Release } from './release.ts';
import { run } from './run.ts';

const SCRIPTS = join(import.meta.dir, '..', '..', 'deploy', 'packages');

/** Makes the rpm of a binary, for any processor on any of them. Returns the file. */
export function rpmPackage(release: Release, architecture: string, binary: string): string {
  const top = join(release.folder, `rpm-${architecture}`);
  const tree = join(top, 'tree');
  layOut(tree, binary);
  const spec = join(top, 'svc.spec');
  writeFileSync(spec, specText(release));
  mkdirSync(join(top, 'build'));
  const macros = {
    _topdir: top,
    _builddir: join(top, 'build'),
    _rpmdir: top,
    _buildhost: 'release',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    _binary_payload: `w${release.level}.zstdio`,
    _build_id_links: 'none',
    __os_install_post: '%{nil}',
    source_tree: tree,
  };
  const defines = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  run(['rpmbuild', '-bb', '--target', `${architecture}-linux`, ...defines, spec], {
    env: { SOURCE_DATE_EPOCH: `${release.epochS}` },
  });
  const name = `svc-${release.version}-1.${architecture}.rpm`;
  renameSync(join(top, architecture, name), join(release.folder, name));
  rmSync(top, { recursive: true });
  return join(release.folder, name);
}

function specText({ version, epochS }: Release): string {
  const script = (name: string) => readFileSync(join(SCRIPTS, `${name}.sh`), 'utf8').replace(/^#!.*\n/, '');
  return `Name: svc
Version: ${version}
Release: 1
Summary: Turns commands into HTTP endpoints that stream
License: Apache-2.0
Conflicts: daemontools
AutoReqProv: no
Requires: glibc >= 2.31

%description
A person lists commands in a file. The agent on their machine dials out to the
hub and registers them, and callers get the output as it happens. The program
is hub, agent, standalone server and command line in one file.

%install
cp -a %{source_tree}/. %{buildroot}/
find %{buildroot} -exec touch --no-dereference --date=@${epochS} {} +

%files
/usr/bin/svc
/usr/lib/systemd/system/svc-*.service
/usr/lib/sysusers.d/svc.conf
/usr/share/doc/svc
/usr/share/bash-completion/completions/svc
/usr/share/zsh/*/_svc
/usr/share/fish/vendor_completions.d/svc.fish
/usr/share/man/man1/svc*.1.gz
%dir /etc/svc

%post
${script('postinst')}
%preun
${script('prerm')}`;
}
