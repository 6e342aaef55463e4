import type { JsonValue } from '../../pipeline/reference/json-value.ts';
import { LIMITS } from '../../plan/limits.ts';
import { type FieldProblem, refuseFields } from '../field-problem.ts';
import { JsonCursor } from './json-cursor.ts';

/**
 * Reads a JSON body strictly.
 *
 * `JSON.parse` is not enough: it rounds numbers, keeps the last of two equal names and does not report positions. A program
 * that signs, checks or logs the body before the hub could then understand it differently. Refuses malformed text with
 * `invalid_json` and its position. Refuses with `invalid_argument` and the field: repeated names, numbers that would be
 * rounded, NUL, and bodies that are too deep or too large.
 */
export function readJson(text: string): JsonValue {
  const reader = new JsonReader(text);
  const value = reader.readWhole();
  if (reader.problems.length > 0) throw refuseFields(reader.problems);
  return value;
}

/**
 * Reads a body of which only some fields are used. Mistakes inside other fields are ignored, because senders of webhooks
 * follow rules of their own. The number of values is limited only by the size of the body.
 */
export function readJsonFields(text: string, names: ReadonlySet<string>): JsonValue {
  const reader = new JsonReader(text, Number.POSITIVE_INFINITY);
  const value = reader.readWhole();
  const problems = reader.problems.filter(({ path: [name] }) => names.has(String(name)));
  if (problems.length > 0) throw refuseFields(problems);
  return value;
}

type Path = readonly (string | number)[];

class JsonReader {
  readonly problems: FieldProblem[] = [];
  readonly #cursor: JsonCursor;
  readonly #mostValues: number;
  #values = 0;

  constructor(text: string, mostValues: number = LIMITS.jsonValues) {
    this.#cursor = new JsonCursor(text, 'JSON');
    this.#mostValues = mostValues;
  }

  readWhole(): JsonValue {
    const value = this.#value([]);
    if (!this.#cursor.isAtEnd()) this.#cursor.fail('nothing more expected after the value');
    return value;
  }

  #value(path: Path): JsonValue {
    const cursor = this.#cursor;
    this.#refuseExcess(path);
    if (cursor.skip('{')) return this.#object(path);
    if (cursor.skip('[')) return this.#list(path);
    const string = cursor.string();
    if (string !== undefined) return this.#withoutNul(string, path);
    const word = cursor.word();
    if (word !== undefined) return word;
    return this.#number(cursor.number() ?? cursor.fail('a value expected'), path);
  }

  /** Larger bodies than any route accepts are not read further: the check would cost more than the request. */
  #refuseExcess(path: Path): void {
    this.#values += 1;
    if (this.#values > this.#mostValues)
      throw refuseFields([{ path: [], message: `at most ${this.#mostValues} values expected` }]);
    if (path.length > LIMITS.jsonDepth)
      throw refuseFields([
        { path, message: `at most ${LIMITS.jsonDepth} levels of lists and objects expected` },
      ]);
  }

  #object(path: Path): JsonValue {
    const cursor = this.#cursor;
    const members = new Map<string, JsonValue>();
    if (cursor.skip('}')) return {};
    do {
      const name = cursor.string() ?? cursor.fail('a name in double quotes expected');
      if (!cursor.skip(':')) cursor.fail('":" expected after the name');
      const memberPath = [...path, name];
      if (members.has(name))
        this.problems.push({ path: memberPath, message: 'it is given twice; give it once' });
      // Zod removes this key from records silently.
      if (name === '__proto__')
        this.problems.push({ path: memberPath, message: 'nothing may be called that' });
      members.set(this.#withoutNul(name, memberPath), this.#value(memberPath));
    } while (cursor.skip(','));
    if (!cursor.skip('}')) cursor.fail('"," or "}" expected after the value');
    return Object.fromEntries(members);
  }

  #list(path: Path): JsonValue {
    const cursor = this.#cursor;
    const items: JsonValue[] = [];
    if (cursor.skip(']')) return items;
    do items.push(this.#value([...path, items.length]));
    while (cursor.skip(','));
    if (!cursor.skip(']')) cursor.fail('"," or "]" expected after the value');
    return items;
  }

  /** PostgreSQL cannot store NUL, and commands cannot receive it. */
  #withoutNul(text: string, path: Path): string {
    if (text.includes('\0')) this.problems.push({ path, message: 'text without NUL expected' });
    return text;
  }

  #number(text: string, path: Path): number {
    const value = Number(text);
    const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (!isExact)
      this.problems.push({ path, message: 'a number that is not rounded expected; send it as text' });
    return value;
  }
}
