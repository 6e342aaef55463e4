import { LIMITS } from '../../plan/limits.ts';
import { Refusal } from '../../refusal.ts';
import { JsonCursor } from './json-cursor.ts';

/** An array or an object of a JSON text, as it is written there, so that numbers keep their digits. */
export class JsonSource {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Reads the value at the cursor and returns its text. Two readers could find different values in unusual JSON. So it refuses with
 * `invalid_json`: text that is not JSON, an object that has a name twice, and more than `LIMITS.jsonDepth` levels.
 */
export function readSource(cursor: JsonCursor): JsonSource {
  const start = cursor.offset;
  skipValue(cursor);
  return new JsonSource(cursor.textSince(start));
}

/** Why a text is not one JSON value, as a clause; undefined: it is one. */
export function jsonProblem(text: string): string | undefined {
  try {
    const cursor = new JsonCursor(text, 'JSON');
    const values = skipValue(cursor);
    if (!cursor.isAtEnd()) cursor.fail('nothing more expected after the value');
    const max = LIMITS.argumentJsonValues;
    return values > max ? `the JSON holds ${values} values; at most ${max} are accepted` : undefined;
  } catch (error) {
    if (error instanceof Refusal)
      return error.message.replace(/^the body is not JSON: /, 'the value is not JSON: ');
    throw error;
  }
}

/** Moves behind the value, and returns how many values are in it, itself included. */
function skipValue(cursor: JsonCursor, depth = 0): number {
  if (depth >= LIMITS.jsonDepth) cursor.fail(`at most ${LIMITS.jsonDepth} levels expected`);
  if (cursor.skip('[')) return 1 + skipItems(cursor, depth);
  if (cursor.skip('{')) return 1 + skipMembers(cursor, depth);
  if (cursor.string() === undefined && cursor.word() === undefined && cursor.number() === undefined)
    cursor.fail('a value expected');
  return 1;
}

function skipItems(cursor: JsonCursor, depth: number): number {
  if (cursor.skip(']')) return 0;
  let values = 0;
  do values += skipValue(cursor, depth + 1);
  while (cursor.skip(','));
  if (!cursor.skip(']')) cursor.fail('"," or "]" expected after the value');
  return values;
}

function skipMembers(cursor: JsonCursor, depth: number): number {
  if (cursor.skip('}')) return 0;
  const names = new Set<string>();
  let values = 0;
  do {
    const name = cursor.string() ?? cursor.fail('a name in double quotes expected');
    if (names.has(name)) cursor.fail(`the name ${JSON.stringify(name)} once expected; it is there twice`);
    names.add(name);
    if (!cursor.skip(':')) cursor.fail('":" expected after the name');
    values += skipValue(cursor, depth + 1);
  } while (cursor.skip(','));
  if (!cursor.skip('}')) cursor.fail('"," or "}" expected after the value');
  return values;
}
