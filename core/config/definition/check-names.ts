import { atValue, type Path, type ValidationIssue } from '../validation-issue.ts';
import { isMapping } from './sound-parts.ts';

/** The names that are already in use, and the position of each item in the file. */
export interface NameSurroundings {
  /** Names that the server itself uses. */
  readonly takenNames: readonly string[];
  readonly lineOf: (path: Path) => number;
}

/** Checks that each item of `endpoints` and `pipelines` has a URL of its own (decision 2, slugs). */
export function checkNames(
  { endpoints, pipelines }: Record<'endpoints' | 'pipelines', readonly unknown[]>,
  { takenNames, lineOf }: NameSurroundings,
): ValidationIssue[] {
  const firstPaths = new Map<string, Path>();
  const named = [
    ...endpoints.flatMap((item, index) => namesIn(item, ['name'], ['endpoints', index])),
    ...pipelines.flatMap((item, index) => namesIn(item, ['name', 'slug'], ['pipelines', index])),
  ];
  return named.flatMap(({ name, path }) => {
    const first = firstPaths.get(name);
    const what = path[0] === 'endpoints' ? 'endpoint' : 'pipeline';
    if (first) return [atValue(path, `${what} "${name}" stands twice; first in line ${lineOf(first)}`)];
    firstPaths.set(name, path);
    if (what === 'pipeline' || !takenNames.includes(name)) return [];
    return [atValue(path, `name "${name}" is taken by the server itself: choose another`)];
  });
}

function namesIn(item: unknown, keys: readonly string[], path: Path): { name: string; path: Path }[] {
  if (!isMapping(item)) return [];
  const key = keys.find((candidate) => item[candidate] !== undefined);
  const name = key === undefined ? undefined : item[key];
  return key === undefined || typeof name !== 'string' ? [] : [{ name, path: [...path, key] }];
}
