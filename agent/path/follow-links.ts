import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

/** The target of a path, or why it cannot be resolved, as a clause about the path. */
export type FollowedPath =
  | { readonly kind: 'path'; readonly path: string; readonly exists: boolean }
  | { readonly kind: 'problem'; readonly message: string };

/** The limit of Linux. */
const MAX_LINKS = 40;

/**
 * Follows every symbolic link in an absolute path, part by part, as the kernel does: `..` goes up from the target of a
 * link, not from the link. The end of the path may be missing; `..` may not follow a missing part.
 */
export function followLinks(path: string): FollowedPath {
  let parts = partsOf(path);
  let current = '/';
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === '..') {
      current = dirname(current);
      continue;
    }
    const next = current === '/' ? `/${part}` : `${current}/${part}`;
    const found = statOf(next);
    if (found === 'absent') return missing(next, parts);
    if (found === 'forbidden')
      return problem('cannot be checked: the agent may not read a folder on the way');
    if (found.isSymbolicLink()) {
      links += 1;
      if (links > MAX_LINKS) return problem(`leads through more than ${MAX_LINKS} links`);
      const target = readlinkSync(next);
      if (target.startsWith('/')) current = '/';
      parts = [...partsOf(target), ...parts];
    } else if (parts.length > 0 && !found.isDirectory())
      return problem('goes through a file as if it were a folder');
    else current = next;
  }
  return { kind: 'path', path: current, exists: true };
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function missing(path: string, rest: readonly string[]): FollowedPath {
  if (rest.includes('..')) return problem('goes up with ".." from a folder that does not exist');
  return { kind: 'path', path: [path, ...rest].join('/'), exists: false };
}

function statOf(path: string): Stats | 'absent' | 'forbidden' {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'absent';
    if (code === 'EACCES' || code === 'EPERM') return 'forbidden';
    // No folder contains a name that is too long; the command reports that itself.
    if (code === 'ENAMETOOLONG') return 'absent';
    throw error;
  }
}

function problem(message: string): FollowedPath {
  return { kind: 'problem', message };
}
