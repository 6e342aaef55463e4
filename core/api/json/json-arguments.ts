import { refuseArguments } from '../../endpoint/value/argument-problem.ts';
import { JsonCursor } from './json-cursor.ts';
import { type JsonSource, readSource } from './json-source.ts';

/** A value in the body of a call; a number keeps its text (decision 9, values of a call). */
export type JsonArgument = string | boolean | null | JsonSource;

/**
 * The JSON body of a call as names and values, for `collectValues`.
 *
 * `JSON.parse` is not enough: it rounds numbers, keeps the last of two equal names and does not report positions. An array
 * or an object keeps its text. Refuses malformed text with `invalid_json`, line and column in `details`, and repeated names
 * with `invalid_argument`.
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
      yield [name, readValue(cursor)];
    } while (cursor.skip(','));
    if (!cursor.skip('}')) cursor.fail('"," or "}" expected after the value');
  }
  if (!cursor.isAtEnd()) cursor.fail('nothing more expected after the object');
}

function readValue(cursor: JsonCursor): JsonArgument {
  const string = cursor.string();
  if (string !== undefined) return string;
  const word = cursor.word();
  if (word !== undefined) return word;
  return cursor.number() ?? readSource(cursor);
}
