import { KINDS_OF_KEYS, type ParseKind } from '../../execution/transform/transform.ts';
import { atKey, atValue, type Path, type ValidationIssue } from '../validation-issue.ts';
import { transformSchema } from './schema.ts';
import { isMapping, soundParts } from './sound-parts.ts';

/**
 * Checks the `transform` at `path` beyond its shape: some kinds need a key, and some keys belong to some kinds
 * (decision 27, the transformer).
 */
export function checkTransform(transform: unknown, path: Path): ValidationIssue[] {
  const { parse, pattern } = soundParts(transformSchema, transform);
  if (parse === undefined || !isMapping(transform)) return [];
  const missing = Object.entries(NEEDED).find(
    ([kind, { key }]) => parse === kind && !Object.hasOwn(transform, key),
  );
  if (missing !== undefined)
    return [atValue([...path, 'parse'], `parse "${parse}" needs a ${missing[1].key}: ${missing[1].what}`)];
  const misplaced = Object.entries(KINDS_OF_KEYS).find(
    ([key, kinds]: [string, readonly ParseKind[]]) => Object.hasOwn(transform, key) && !kinds.includes(parse),
  );
  if (misplaced !== undefined) {
    const [key, kinds] = misplaced;
    const owners = kinds.map((kind) => `"parse: ${kind}"`).join(', ');
    return [atKey([...path, key], `${key} belongs to ${owners}, not to "parse: ${parse}"`)];
  }
  return pattern === undefined ? [] : patternIssues(pattern, [...path, 'pattern']);
}

/** The key that a kind cannot do without. */
const NEEDED = {
  regex: { key: 'pattern', what: 'a regular expression with named groups' },
  jc: { key: 'parser', what: 'the name of a parser of jc, such as dig' },
} as const;

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
