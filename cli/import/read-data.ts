import { parse } from 'yaml';
import { Failure } from '../failure.ts';

/**
 * The data of a JSON or YAML file. Most JSON is YAML, with commas at the end of lists too, and other programs read both by a reader of
 * YAML. Tabs at the beginning of a line are JSON alone. Throws a `Failure` for other text.
 */
export function readData(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    try {
      return parse(text) as unknown;
    } catch (error) {
      throw new Failure(`the file is neither JSON nor YAML: ${(error as Error).message.split('\n')[0]}`);
    }
  }
}

/** The value as a mapping; an empty one for any other value. */
export function mappingIn(value: unknown): Readonly<Record<string, unknown>> {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMapping ? (value as Readonly<Record<string, unknown>>) : {};
}

/** A text, number or boolean of a mapping, as text. */
export function textIn(value: unknown, key: string): string | undefined {
  const found = mappingIn(value)[key];
  return ['string', 'number', 'boolean'].includes(typeof found) ? String(found) : undefined;
}

/** A list of a mapping; an empty one for any other value. */
export function listIn(value: unknown, key: string): readonly unknown[] {
  const found = mappingIn(value)[key];
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

/** One note about the keys that nothing here reads. */
export function unknownKeysNote(value: unknown, known: readonly string[]): string[] {
  const unknown = Object.keys(mappingIn(value)).filter((key) => !known.includes(key));
  return unknown.length === 0 ? [] : [`Without a counterpart here: ${unknown.join(', ')}.`];
}
