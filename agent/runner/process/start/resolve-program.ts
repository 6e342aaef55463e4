import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { type NotStarted, notStarted } from './not-started.ts';

export type ResolvedProgram = { readonly kind: 'program'; readonly path: string } | NotStarted;

/** The search path of execvp without a PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/**
 * The file that execvp would run for `name` in this environment and working directory.
 *
 * We search because the ENOENT of a spawn does not name what was missing.
 */
export function resolveProgram(
  name: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): ResolvedProgram {
  if (name.includes('\0')) return notStarted('other', 'the name of the program holds a NUL byte');
  if (name.includes('/')) return atPath(name, cwd);
  let refused: NotStarted | undefined;
  for (const folder of name === '' ? [] : (env.PATH ?? DEFAULT_PATH).split(':')) {
    // Joined by hand: `resolve` takes longer than the stat.
    const path = isAbsolute(folder) ? `${folder}/${name}` : resolve(cwd, folder, name);
    const found = examine(path, name);
    if (found?.kind === 'program') return found;
    refused ??= found;
  }
  return refused ?? notStarted('not_found', `command not found: "${name}"`);
}

/** Undefined if the folder exists and is accessible. */
export function checkCwd(cwd: string): NotStarted | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return badCwd(cwd, 'is not a folder');
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return badCwd(cwd, codeOf(error) === 'EACCES' ? 'may not be entered' : 'does not exist');
  }
}

function atPath(name: string, cwd: string): ResolvedProgram {
  return examine(resolve(cwd, name), name) ?? notStarted('not_found', `no such program: "${name}"`);
}

/** Undefined if the path does not exist. */
function examine(path: string, name: string): ResolvedProgram | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (stat.isDirectory()) return notStarted('not_executable', `"${name}" is a folder`);
    accessSync(path, constants.X_OK);
    return { kind: 'program', path };
  } catch (error) {
    return codeOf(error) === 'EACCES'
      ? notStarted('not_executable', `"${name}" may not be executed: permission denied`)
      : undefined;
  }
}

function badCwd(cwd: string, why: string): NotStarted {
  return notStarted('bad_cwd', `the working directory "${cwd}" ${why}`);
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
