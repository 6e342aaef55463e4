import { atKey, atValue, type Path, type ValidationIssue } from '../validation-issue.ts';
import { transformSchema } from './schema.ts';
import { isMapping, soundParts } from './sound-parts.ts';

/**
 * Checks the `transform` at `path` beyond its shape: `parse: regex` needs a pattern, and no other parser takes one
 * (decision 27, the transformer).
 */
export function checkTransform(transform: unknown, path: Path): ValidationIssue[] {
  const { parse, pattern } = soundParts(transformSchema, transform);
  if (parse === undefined || !isMapping(transform)) return [];
  const hasPattern = Object.hasOwn(transform, 'pattern');
  if (parse === 'regex' && !hasPattern) {
    return [
      atValue([...path, 'parse'], 'parse "regex" needs a pattern: a regular expression with named groups'),
    ];
  }
  if (parse !== 'regex' && hasPattern) {
    return [atKey([...path, 'pattern'], `pattern belongs to "parse: regex", not to "parse: ${parse}"`)];
  }
  return pattern === undefined ? [] : patternIssues(pattern, [...path, 'pattern']);
}

/**
 * The transformer compiles the pattern with the `u` flag of ECMAScript. Without a named group the pattern yields no field.
 */
function patternIssues(pattern: string, path: Path): ValidationIssue[] {
  try {
    const groups = new RegExp(`(?:${pattern})|`, 'u').exec('')?.groups;
    return groups ? [] : [atValue(path, 'pattern has no named group, such as (?<name>...)')];
  } catch (error) {
    return [atValue(path, `pattern: ${(error as Error).message}`)];
  }
}
