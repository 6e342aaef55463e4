import { atValue, type Finding, type Path } from '../finding.ts';
import { isRecord } from './sound-parts.ts';

/** What checking the names of a list of endpoints needs to know about the file and about who serves it. */
export interface NameSurroundings {
  /** Names that the server needs for itself. */
  readonly takenNames: readonly string[];
  readonly lineOf: (path: Path) => number;
}

/** Checks that each of the endpoints at `endpoints` has a URL of its own (decision 2). */
export function checkNames(
  endpoints: readonly unknown[],
  { takenNames, lineOf }: NameSurroundings,
): Finding[] {
  const firstPaths = new Map<string, Path>();
  return endpoints.flatMap((endpoint, index) => {
    const path = ['endpoints', index, 'name'];
    const name = isRecord(endpoint) ? endpoint.name : undefined;
    if (typeof name !== 'string') return [];
    const first = firstPaths.get(name);
    if (first) return [atValue(path, `endpoint "${name}" stands twice; first in line ${lineOf(first)}`)];
    firstPaths.set(name, path);
    if (!takenNames.includes(name)) return [];
    return [atValue(path, `name "${name}" is taken by the server itself: choose another`)];
  });
}
