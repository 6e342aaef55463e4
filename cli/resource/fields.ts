import { InvalidArgumentError } from 'commander';
import { readGiven, textOfFile } from './input.ts';

/** A field of a JSON object that was given on the command line. */
export interface Field {
  readonly name: string;
  /** The value as JSON text, so that a long number keeps its digits. */
  readonly json: string;
  /** The file of `name=@file`. */
  readonly path?: string;
  /** The file is too long or no text, so it cannot be a value; `json` is then unused. */
  readonly isOpaque?: true;
}

/** Fields, or a whole object as `@file` or `-`. */
export interface Fields {
  readonly fields: readonly Field[];
  /** The JSON text of the object that the fields add to. */
  readonly object?: string;
}

const NONE: Fields = { fields: [] };

/**
 * Collects one word of the command line:
 *
 * `name=text`, `name:=json`, `name=@file` and `name=-` for standard input as text, `name:=@file` and `name:=-` as JSON, and
 * `@file` or `-` for the whole object.
 */
export function readFields(word: string, { fields, object }: Fields = NONE): Fields {
  const [, name, operator, given = ''] = /^([^=@][^=]*?)(:?=)(.*)$/s.exec(word) ?? [];
  if (name === undefined) return { fields, object: readObject(word, object) };
  const text = readGiven(given) ?? given;
  const json = operator === ':=' ? checkedJson(name, text) : JSON.stringify(text);
  return { fields: [...fields, { name, json }], ...(object === undefined ? {} : { object }) };
}

/**
 * Collects one word of a call like `readFields`. The file of `name=@file` may be the value of an argument of type file, so it need
 * not be a text.
 */
export function readCallFields(word: string, before: Fields = NONE): Fields {
  const [, name, path] = /^([^=@:][^=:]*)=@(.+)$/s.exec(word) ?? [];
  if (name === undefined || path === undefined) return readFields(word, before);
  const text = textOfFile(path);
  const field: Field =
    text === undefined
      ? { name, json: 'null', path, isOpaque: true }
      : { name, json: JSON.stringify(text), path };
  return { ...before, fields: [...before.fields, field] };
}

/** Collects `name=text` whose text is sent as it is, for scripts: a foreign value must not name a file to read. */
export function readRawField(word: string, before: readonly Field[] = []): readonly Field[] {
  const [, name, text = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
  if (name === undefined) throw new InvalidArgumentError('expected name=text.');
  return [...before, { name, json: JSON.stringify(text) }];
}

function readObject(word: string, before: string | undefined): string {
  const text = readGiven(word);
  if (text === undefined)
    throw new InvalidArgumentError('expected an argument as name=text, name:=json, @file or -.');
  if (before !== undefined)
    throw new InvalidArgumentError('expected only one @file or - for the whole object.');
  const json = checkedJson(word, text).trim();
  if (!json.startsWith('{')) throw new InvalidArgumentError('expected a JSON object in it.');
  return json;
}

function checkedJson(what: string, text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(`expected JSON in ${what}: ${(error as Error).message}.`);
  }
}

/** The JSON text of the whole object. A field that is given twice is there twice, and the service refuses it. */
export function objectText({ fields, object = '{}' }: Fields): string {
  const own = fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',');
  const inner = object.slice(1, -1).trim();
  return `{${[inner, own].filter((part) => part !== '').join(',')}}`;
}

/** The object itself. */
export function objectOf(fields: Fields | undefined): Record<string, unknown> {
  return fields === undefined ? {} : (JSON.parse(objectText(fields)) as Record<string, unknown>);
}
