import { chownSync } from 'node:fs';

/** The ordinary user of these tests: another user where they run as root, else their own. */
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65534;

/** Starts a program as an ordinary user without any rights. */
export const AS_NOBODY: readonly string[] = IS_ROOT
  ? [
      'setpriv',
      `--reuid=${NOBODY}`,
      `--regid=${NOBODY}`,
      '--clear-groups',
      '--inh-caps=-all',
      '--bounding-set=-all',
    ]
  : [];

/** Gives files to that user. */
export function giveToNobody(...paths: readonly string[]): void {
  if (IS_ROOT) for (const path of paths) chownSync(path, NOBODY, NOBODY);
}
