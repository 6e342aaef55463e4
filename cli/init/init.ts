import { writeFileSync } from 'node:fs';
import { DEFAULT_CONFIG } from '../config.ts';
import { Failure } from '../failure.ts';
import starter from '../starter/svc.yaml' with { type: 'text' };
import { writeRows } from '../terminal.ts';

/** `svc init`: writes the starter config. Without `force`, never overwrites a file. */
export function init(path: string, force: boolean): void {
  try {
    writeFileSync(path, starter, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw failureFor(error, path);
  }
  const argument = path === DEFAULT_CONFIG ? '' : ` --config ${path}`;
  writeRows(process.stdout, [
    { label: 'wrote', text: path },
    { label: 'try', text: `svc up${argument}` },
  ]);
}

const UNWRITABLE: ReadonlyMap<string | undefined, string> = new Map([
  ['EEXIST', 'already exists'],
  ['ENOENT', 'is in a folder that does not exist'],
  ['ENOTDIR', 'is in a folder that does not exist'],
  ['EISDIR', 'is a folder'],
  ['EACCES', 'is not writable by this user'],
  ['EPERM', 'is not writable by this user'],
  ['EROFS', 'is on a read-only file system'],
]);

function failureFor(error: unknown, path: string): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  const what = UNWRITABLE.get(code) ?? `cannot be written: ${message}`;
  return new Failure(`${path} ${what}`, code === 'EEXIST' ? { tip: 'svc init --force' } : {});
}
