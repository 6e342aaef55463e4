import { resolve } from 'node:path';
import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { type ArgumentProblem, refuseArguments } from '@svc/core/endpoint/value/argument-problem';
import { checkValue } from '@svc/core/endpoint/value/check-value';
import { listItems, listText } from '@svc/core/endpoint/value/list';
import { followLinks } from './follow-links.ts';

/** Where relative paths of an endpoint start. Both are absolute. */
export interface PathFolders {
  /** The folder of the config file, from which a relative `root` starts. */
  readonly folder: string;
  /** The folder in which the command runs, from which a path without a `root` starts. */
  readonly cwd: string;
}

type Placed = { readonly path: string } | { readonly message: string };

/**
 * The values of `type: path` and of lists of paths, defaults included, as the command gets them: absolute, and inside their root
 * after every link is followed (decision 57, values by type). For `bind`, which also refuses a value that is no path.
 *
 * Refuses with `invalid_argument` a path that leads out of its root.
 */
export function placePaths(
  { args }: Pick<Endpoint, 'args'>,
  given: ReadonlyMap<string, string>,
  folders: PathFolders,
): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  const problems: ArgumentProblem[] = [];
  for (const argument of args) {
    const type = argument.type === 'list' ? argument.items : argument.type;
    const value = type === 'path' ? (given.get(argument.name) ?? argument.default) : undefined;
    if (value === undefined || checkValue(argument, value) !== undefined) continue;
    const placed =
      argument.type === 'list' ? placeItems(argument, value, folders) : place(argument, value, folders);
    if ('path' in placed) paths.set(argument.name, placed.path);
    else problems.push({ argument: argument.name, message: placed.message });
  }
  if (problems.length > 0) throw refuseArguments(problems);
  return paths;
}

function placeItems(argument: Argument, value: string, folders: PathFolders): Placed {
  const paths: string[] = [];
  for (const [index, item] of listItems(value).entries()) {
    const placed = place(argument, item, folders);
    if ('message' in placed) return { message: `item ${index + 1}: ${placed.message}` };
    paths.push(placed.path);
  }
  return { path: listText(paths) };
}

function place({ root }: Argument, value: string, { folder, cwd }: PathFolders): Placed {
  if (root === undefined) return { path: absolutePath(cwd, value) };
  const top = followLinks(resolve(folder, root));
  if (top.kind === 'problem') return { message: `its root "${root}" ${top.message}` };
  if (!top.exists) return { message: `its root "${root}" does not exist on the agent` };
  const followed = followLinks(absolutePath(top.path, value));
  if (followed.kind === 'problem') return { message: `the path ${followed.message}` };
  if (isInside(top.path, followed.path)) return { path: followed.path };
  return { message: `the path leads out of "${root}": a path inside it is accepted` };
}

/**
 * An absolute path from a folder and a path. An absolute path cannot be taken for an option (decision 57, values by type).
 * `..` stays, because its meaning depends on symbolic links, which only the file system knows.
 */
function absolutePath(folder: string, path: string): string {
  if (path.startsWith('/')) return path;
  const rest = path.replace(/^(?:\.\/+)+/, '');
  return rest === '.' ? folder : `${folder.replace(/\/+$/, '')}/${rest}`;
}

/** Whether a path is a folder or inside it. Both are absolute and resolved, without links and `..`. */
function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
