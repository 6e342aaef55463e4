import { refuseArguments } from '../../endpoint/value/argument-problem.ts';
import { JsonCursor } from './json-cursor.ts';

/** A value in the body of a call; a number is the text that it was written as (decision 9, values of a call). */
export type JsonArgument = string | boolean | null | readonly [] | Readonly<Record<string, never>>;

/**
 * The JSON body of a call as names and values, for `collectValues`.
 *
 * Not `JSON.parse`, which rounds numbers, keeps the last of two equal names and does not say where an error is. A value
 * that is an array or an object is refused whatever is in it, so reading stops there and answers an empty one. Refuses with
 * `invalid_json`, line and column in `details`, and a name that is there twice with `invalid_argument`.
 */
export function readJsonArguments(text: string): Readonly<Record<string, JsonArgument>> {
  const values = new Map<string, JsonArgument>();
  const twice: string[] = [];
  for (const [name, value] of members(new JsonCursor(text, 'a JSON object of arguments'))) {
    if (values.has(name)) twice.push(name);
    values.set(name, value);
  }
  if (twice.length > 0) {
    throw refuseArguments(
      twice.map((argument) => ({ argument, message: 'it is given twice; give it once' })),
    );
  }
  return Object.fromEntries(values);
}

function* members(cursor: JsonCursor): Generator<[string, JsonArgument]> {
  if (!cursor.skip('{')) cursor.fail('an object such as {"name": "value"} expected');
  if (!cursor.skip('}')) {
    do {
      const name = cursor.string() ?? cursor.fail('a name in double quotes expected');
      if (!cursor.skip(':')) cursor.fail('":" expected after the name');
      const value = readValue(cursor);
      yield [name, value];
      if (typeof value === 'object' && value !== null) return;
    } while (cursor.skip(','));
    if (!cursor.skip('}')) cursor.fail('"," or "}" expected after the value');
  }
  if (!cursor.isAtEnd()) cursor.fail('nothing more expected after the object');
}

function readValue(cursor: JsonCursor): JsonArgument {
  if (cursor.skip('[')) return [];
  if (cursor.skip('{')) return {};
  const string = cursor.string();
  if (string !== undefined) return string;
  const word = cursor.word();
  if (word !== undefined) return word;
  return cursor.number() ?? cursor.fail('a value expected');
}
