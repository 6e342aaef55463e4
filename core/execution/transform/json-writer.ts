import { LIMITS } from '../../plan/limits.ts';
import { Unreadable } from './unreadable.ts';

/** The number of items that are joined at a time: millions of small strings take many times the memory of their text. */
const CHUNK_ITEMS = 1024;

/** The JSON text of an array whose items are JSON text already; stops as soon as it would be too long. */
export function arrayOf(items: Iterable<string>): string {
  const chunks: string[] = [];
  let chunk: string[] = [];
  let length = 0;
  for (const item of items) {
    length += item.length + 1;
    if (length > LIMITS.transformParsedChars) throw new Unreadable(TOO_LONG);
    chunk.push(item);
    if (chunk.length < CHUNK_ITEMS) continue;
    chunks.push(chunk.join(','));
    chunk = [];
  }
  if (chunk.length > 0) chunks.push(chunk.join(','));
  return `[${chunks.join(',')}]`;
}

/** The JSON text of a value of any kind. */
export function writeJsonText(value: unknown): string {
  const json = written(value);
  if (json.length > LIMITS.transformParsedChars) throw new Unreadable(TOO_LONG);
  return json;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (cause) {
    throw new Unreadable(`it cannot be said as JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Writes objects that all have these names, in their order; a name that occurs again makes an array of its values. */
export function objectWriter(names: readonly string[]): (values: readonly (string | null)[]) => string {
  const fields = fieldsOf(names);
  return (values) => {
    const at = (place: number) => JSON.stringify(values[place] ?? null);
    const texts = fields.map(({ key, place, more }) =>
      more.length === 0 ? key + at(place) : `${key}[${[place, ...more].map(at).join(',')}]`,
    );
    return `{${texts.join(',')}}`;
  };
}

/** A name of an object and where its values stand. */
interface Field {
  readonly key: string;
  readonly place: number;
  readonly more: number[];
}

function fieldsOf(names: readonly string[]): Field[] {
  const fields = new Map<string, Field>();
  for (const [place, name] of names.entries()) {
    const known = fields.get(name);
    if (known === undefined) fields.set(name, { key: `${JSON.stringify(name)}:`, place, more: [] });
    else known.more.push(place);
  }
  return [...fields.values()];
}

const TOO_LONG = `more than ${LIMITS.transformParsedChars / 1024 ** 2} MiB as JSON`;
