import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { pathIn } from './service.ts';

const PLACES = ['/usr/bin/svc', '/usr/local/bin/svc'];

/**
 * The program that a service starts: this one, or the one in an image. Throws a `Failure` for a program that another user
 * than root can change, because the service would give that user its rights.
 */
export function serviceProgram(root: string): string {
  if (root !== '/') return PLACES.find((path) => existsSync(pathIn(root, path))) ?? '/usr/local/bin/svc';
  if (!import.meta.url.startsWith('file:///$bunfs/'))
    throw new Failure('this svc runs from its source: a service needs the program', { tip: 'npm run build' });
  const path = realpathSync(process.execPath);
  for (let part = path; ; part = dirname(part)) {
    const { uid, mode } = statSync(part);
    // NOTE: in a folder with the sticky bit, such as /tmp, others cannot replace a file; but they could have made it.
    if (uid !== 0 || (mode & 0o022) !== 0)
      throw new Failure(`users other than root can change ${part}, and so the program of the service`, {
        tip: `install -m 0755 ${path} /usr/local/bin/svc, then run that one`,
      });
    if (part === '/') return path;
  }
}

/** Throws a `Failure` unless the process is root. */
export function requireRoot(command: string): void {
  if (process.geteuid?.() !== 0) throw new Failure(`${command} needs root`, { tip: `sudo ${command} …` });
}
