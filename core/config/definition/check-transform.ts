import { atKey, atValue, type Path, type ValidationIssue } from '../finding.ts';
import { transformSchema } from './schema.ts';
import { isMapping, soundParts } from './sound-parts.ts';

/** Checks what the shape alone does not show about the `transform` at `path`: a pattern is for regex, and only for regex (decision 27). */
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
  return pattern === undefined ? [] : patternFindings(pattern, [...path, 'pattern']);
}

/** As the transformer reads it: ECMAScript with the `u` flag; without a named group it could not say what it found. */
function patternFindings(pattern: string, path: Path): ValidationIssue[] {
  try {
    const groups = new RegExp(`(?:${pattern})|`, 'u').exec('')?.groups;
    return groups ? [] : [atValue(path, 'pattern has no named group, such as (?<name>...)')];
  } catch (error) {
    return [atValue(path, `pattern: ${(error as Error).message}`)];
  }
}
