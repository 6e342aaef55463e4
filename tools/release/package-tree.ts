import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownLicenses } from '../web/licenses.ts';
import { run } from './run.ts';

const ROOT = join(import.meta.dir, '..', '..');
const UNITS = ['svc-agent', 'svc-hub', 'svc-runner', 'svc-upgrade'];
const SYSUSERS = `u svc - "commands of the svc agent" /etc/svc
u svc-hub - "svc hub" /var/lib/svc-hub
`;

/** Where the shells of Debian and of Fedora look for the completion of a command. */
const COMPLETIONS = {
  bash: ['usr/share/bash-completion/completions/svc'],
  zsh: ['usr/share/zsh/vendor-completions/_svc', 'usr/share/zsh/site-functions/_svc'],
  fish: ['usr/share/fish/vendor_completions.d/svc.fish'],
} as const;

/**
 * Writes what stands beside the program in every archive and package into `folder`: the license, the notice with the licenses of
 * everything in the program, and README.md. Returns the files.
 */
export function writeDocuments(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  for (const name of ['LICENSE', 'README.md']) put(join(folder, name), join(ROOT, name), 0o644);
  write(join(folder, 'NOTICE'), ownLicenses(ROOT));
  return ['LICENSE', 'NOTICE', 'README.md'].map((name) => join(folder, name));
}

/** Lays out the files that the Debian package and the rpm install, below `folder`. */
export function layOut(folder: string, binary: string): void {
  put(join(folder, 'usr/bin/svc'), binary, 0o755);
  for (const unit of UNITS) write(join(folder, `usr/lib/systemd/system/${unit}.service`), unitText(unit));
  write(join(folder, 'usr/lib/sysusers.d/svc.conf'), SYSUSERS);
  put(join(folder, 'usr/share/doc/svc/examples/svc.yaml'), join(ROOT, 'cli/starter/svc.yaml'), 0o644);
  writeDocuments(join(folder, 'usr/share/doc/svc'));
  for (const [shell, paths] of Object.entries(COMPLETIONS)) {
    const script = svc('completion', shell);
    for (const path of paths) write(join(folder, path), script);
  }
  const manual = join(folder, 'usr/share/man/man1');
  svc('man', '--dir', manual);
  run(['gzip', '-9', '-n', '--recursive', manual]);
  mkdirSync(join(folder, 'etc/svc'), { recursive: true });
  ownModes(folder);
}

/** What this version of the program prints, whichever machine the package is for. */
function svc(...words: readonly string[]): string {
  return run([process.execPath, join(ROOT, 'cli/svc.ts'), ...words]);
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
