import { arrayOf, objectWriter } from './json-writer.ts';
import { Unreadable } from './unreadable.ts';

/**
 * An object of the named groups per match, in the whole output; a group that took no part is null.
 *
 * `^` and `$` stand at every line, `.` stays within one. The engine backtracks: a pattern such as `(a+)+$` can take for ever.
 */
export function parseRegex(text: string, pattern: string): string {
  const problem = findPatternProblem(pattern);
  if (problem !== undefined) throw new Unreadable(problem);
  const write = objectWriter(groupNames(pattern));
  const matches = text.matchAll(new RegExp(pattern, 'gmu'));
  return arrayOf(
    matches.map(({ groups = {} }) => write(Object.values(groups).map((value) => value ?? null))),
  );
}

/** Why `parse: regex` cannot use a pattern, in one sentence. */
export function findPatternProblem(pattern: string): string | undefined {
  try {
    const hasNames = groupNames(pattern).length > 0;
    return hasNames ? undefined : 'the pattern has no named group such as (?<name>...)';
  } catch (error) {
    return `the pattern is not valid: ${(error as Error).message}`;
  }
}

/** With an empty alternative the pattern matches the empty text, and a match names all groups, also those that took no part. */
function groupNames(pattern: string): string[] {
  return Object.keys(new RegExp(`${pattern}|`, 'u').exec('')?.groups ?? {});
}
