import { z } from 'zod';
import { suggest } from '../../suggest.ts';
import { atKey, type Path, type ValidationIssue } from '../validation-issue.ts';
import { clip } from './clip.ts';

/** A key that a map may not have. */
export interface UnknownKey {
  /** The path of the map that contains the key. */
  readonly path: Path;
  readonly key: string;
  /** The keys that the map may have. */
  readonly known: readonly string[];
  /** The known key that the author most likely meant. */
  readonly meant: string | undefined;
}

/** Other names that people use for a key. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['slug', 'name'],
  ['path', 'name'],
  ['cmd', 'command'],
  ['run', 'command'],
  ['script', 'command'],
  ['arguments', 'args'],
  ['params', 'args'],
  ['parameters', 'args'],
  ['cron', 'schedule'],
  ['agent', 'agent_name'],
  ['environment', 'env'],
  ['dir', 'cwd'],
  ['directory', 'cwd'],
  ['workdir', 'cwd'],
  ['enum', 'choices'],
  ['options', 'choices'],
  ['regex', 'pattern'],
  ['jq', 'select'],
]);

/** The unknown keys that an issue of a schema reports. */
export function unknownKeys(issue: z.core.$ZodIssue, schema: z.ZodType): UnknownKey[] {
  if (issue.code !== 'unrecognized_keys') return [];
  const path = issue.path as Path;
  const known = keysOf(path.reduce<z.ZodType | undefined>(schemaOfPart, schema));
  return issue.keys.map((key) => ({ path, key, known, meant: suggest(key, known) ?? synonym(key, known) }));
}

/** `unknown key "comand": did you mean "command"?` */
export function unknownKeyIssue({ path, key, known, meant }: UnknownKey): ValidationIssue {
  const fix = meant ? `did you mean "${meant}"?` : `${known.join(', ')} are known here`;
  return atKey([...path, key], `unknown key "${clip(key)}": ${fix}`);
}

function synonym(key: string, known: readonly string[]): string | undefined {
  const other = SYNONYMS.get(key.toLowerCase());
  return known.find((candidate) => candidate === other);
}

function schemaOfPart(schema: z.ZodType | undefined, part: string | number): z.ZodType | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return inner.element as z.ZodType;
  return inner instanceof z.ZodObject ? inner.shape[part] : undefined;
}

function keysOf(schema: z.ZodType | undefined): readonly string[] {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return isWrapped ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}
