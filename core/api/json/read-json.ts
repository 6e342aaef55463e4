import type { JsonValue } from '../../pipeline/reference/json-value.ts';
import { LIMITS } from '../../plan/limits.ts';
import { type FieldProblem, refuseFields } from '../field-problem.ts';
import { JsonCursor } from './json-cursor.ts';

/**
 * A JSON body, read strictly.
 *
 * Not `JSON.parse`, which rounds numbers, keeps the last of two equal names and does not say where an error is: who signs,
 * checks or logs a body before the hub would see another one. Refuses text that is no JSON with `invalid_json` and its place,
 * and with `invalid_argument` and the field: a name that stands twice, a number that would be rounded, NUL, and what is
 * too deep or too much.
 */
export function readJson(text: string): JsonValue {
  const reader = new JsonReader(text);
  const value = reader.readWhole();
  if (reader.problems.length > 0) throw refuseFields(reader.problems);
  return value;
}

/**
 * The same for a body of which only some fields are used: what is wrong inside the others is nobody's concern, as senders of
 * webhooks have their own idea of what fits. It may hold as many values as fit into a body.
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

  /** What is more than any body of the API has is not read on: checking it would take longer than it was to send. */
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
      // Zod leaves it out of records without a word.
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

  /** PostgreSQL cannot store it, and no command can be given it. */
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
