import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './run.ts';

const ROOT = join(import.meta.dir, '..', '..');
const UNITS = ['svc-agent', 'svc-hub', 'svc-runner', 'svc-upgrade'];
const SYSUSERS = `u svc - "commands of the svc agent" /etc/svc
u svc-hub - "svc hub" /var/lib/svc-hub
`;

/** Files beside the program that every archive and package has. */
export const DOCUMENTS: readonly string[] = ['LICENSE', 'README.md'].map((name) => join(ROOT, name));

/** Lays out the files that the Debian package and the rpm install, below `folder`. */
export function layOut(folder: string, binary: string): void {
  put(join(folder, 'usr/bin/svc'), binary, 0o755);
  for (const unit of UNITS) write(join(folder, `usr/lib/systemd/system/${unit}.service`), unitText(unit));
  write(join(folder, 'usr/lib/sysusers.d/svc.conf'), SYSUSERS);
  put(join(folder, 'usr/share/doc/svc/examples/svc.yaml'), join(ROOT, 'cli/starter/svc.yaml'), 0o644);
  for (const file of DOCUMENTS)
    put(join(folder, 'usr/share/doc/svc', file.slice(ROOT.length + 1)), file, 0o644);
  mkdirSync(join(folder, 'etc/svc'), { recursive: true });
  ownModes(folder);
}

/** Gives files and folders the modes that they have whatever the umask of the one who releases is. */
export function ownModes(folder: string): void {
  run(['chmod', '-R', 'u=rwX,go=rX', folder]);
}

/** The unit with the path of the package. Its first comment says how to install it by hand, which the package has done. */
function unitText(unit: string): string {
  const text = readFileSync(join(ROOT, `deploy/systemd/${unit}.service`), 'utf8');
  return text.slice(text.indexOf('[Unit]')).replaceAll('/usr/local/bin/svc', '/usr/bin/svc');
}

function put(path: string, from: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  copyFileSync(from, path);
  chmodSync(path, mode);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o644 });
}
