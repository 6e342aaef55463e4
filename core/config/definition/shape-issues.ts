import type { z } from 'zod';
import { suggest } from '../../suggest.ts';
import { atValue, formatPath, type Path, type ValidationIssue } from '../validation-issue.ts';
import { clip } from './clip.ts';
import { unknownKeyIssue, unknownKeys } from './unknown-keys.ts';

type Issue = z.core.$ZodIssue;

/**
 * The places where a value does not match the shape of a schema, each with the accepted shape.
 *
 * A misspelt key is reported as misspelt, and not also as missing.
 */
export function shapeIssues(schema: z.ZodType, value: unknown): ValidationIssue[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  const unknown = issues.flatMap((issue) => unknownKeys(issue, schema));
  const misspelt = new Set(unknown.map(({ path, meant }) => meant && formatPath([...path, meant])));
  const shapes = issues.flatMap((issue) => {
    const path = issue.path as Path;
    const found = valueAt(value, path);
    const isReportedAsUnknown = found === undefined && misspelt.has(formatPath(path));
    return issue.code === 'unrecognized_keys' || isReportedAsUnknown ? [] : [shapeIssue(issue, path, found)];
  });
  return [...shapes, ...unknown.map(unknownKeyIssue)];
}

function shapeIssue(issue: Issue, path: Path, value: unknown): ValidationIssue {
  const expected = `${issue.message} expected`;
  const name = nameOf(path);
  if (value === undefined) return atValue(path.slice(0, -1), `key "${path.at(-1)}" is missing: ${expected}`);
  if (value !== null) return atValue(path, `${name} ${shown(value)}: ${expected}${hint(issue, value)}`);
  return atValue(path, `${name} ${path.length === 0 ? 'is empty' : 'has no value'}: ${expected}`);
}

/**
 * The last key of a path and the indexes behind it. If the key is in a nested map, the key of that map stands before it:
 * `transform.parse`.
 */
function nameOf(path: Path): string {
  const key = path.findLastIndex((part) => typeof part === 'string');
  const parent = typeof path[key - 1] === 'string' ? key - 1 : key;
  return key === -1 ? 'the file' : formatPath(path.slice(parent));
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'is a list';
  if (typeof value === 'object') return 'is a map';
  return typeof value === 'string' ? `"${clip(value)}"` : String(value as number | boolean);
}

/** A likely fix, if the value resembles an accepted one. */
function hint(issue: Issue, value: unknown): string {
  const text = typeof value === 'string' ? value : undefined;
  if (issue.code === 'invalid_value') return choiceHint(text, issue.values.map(String));
  if (issue.code !== 'invalid_type') return '';
  if (issue.expected === 'string') return typeof value === 'object' ? BRACES : '; put it in quotes';
  if (issue.expected === 'boolean' && /^(?:true|yes|on|false|no|off)$/i.test(text ?? '')) return FLAG;
  return issue.expected === 'number' && /^\d+$/.test(text ?? '') ? UNQUOTE : '';
}

const BRACES = '; a value that begins with "{" or "[" needs quotes';
const FLAG = '; write true or false, without quotes';
const UNQUOTE = '; write it without quotes';

function choiceHint(text: string | undefined, choices: readonly string[]): string {
  if (text === undefined) return '';
  if (choices.includes(text)) return UNQUOTE;
  const meant = suggest(text, choices);
  return meant ? `; did you mean "${meant}"?` : '';
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    return (value as Record<string | number, unknown>)[part];
  }, root);
}
