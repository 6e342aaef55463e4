import { refuseArguments } from '../endpoint/value/argument-problem.ts';
import { refuse } from '../refusal.ts';

/** A value in the body of a call; a number is the text that it was written as (decision 9). */
export type JsonArgument = string | boolean | null | readonly [] | Readonly<Record<string, never>>;

/**
 * The JSON body of a call as names and values, for `collectValues`.
 *
 * Not `JSON.parse`, which rounds numbers, keeps the last of two equal names and does not say where an error is. A value that is
 * an array or an object is refused whatever is in it, so reading stops there and answers an empty one. Refuses with
 * `invalid_json`, line and column in `details`, and a name that is there twice with `invalid_argument`.
 */
export function readJsonArguments(text: string): Readonly<Record<string, JsonArgument>> {
  const values = new Map<string, JsonArgument>();
  const twice: string[] = [];
  for (const [name, value] of members(new Cursor(text))) {
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

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /(?:true|false|null)\b/y;
const WORDS = { true: true, false: false, null: null } as const;

function* members(cursor: Cursor): Generator<[string, JsonArgument]> {
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

function readValue(cursor: Cursor): JsonArgument {
  if (cursor.skip('[')) return [];
  if (cursor.skip('{')) return {};
  const string = cursor.string();
  if (string !== undefined) return string;
  const word = cursor.match(WORD) as keyof typeof WORDS | undefined;
  if (word !== undefined) return WORDS[word];
  return cursor.match(NUMBER) ?? cursor.fail('a value expected');
}

/** A place in the text, always in front of the next token. */
class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.match(SPACE);
  }

  isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  skip(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    this.match(SPACE);
    return true;
  }

  match(token: RegExp): string | undefined {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    if (token !== SPACE) this.match(SPACE);
    return found;
  }

  string(): string | undefined {
    if (this.#text[this.#at] !== '"') return undefined;
    const end = this.#closingQuote();
    const string = unquoted(this.#text.slice(this.#at, end + 1));
    if (string === undefined)
      this.fail('a string with valid escapes and without control characters expected');
    this.#at = end + 1;
    this.match(SPACE);
    return string;
  }

  /** The first quote that no odd number of backslashes stands before. A regular expression took 50 times as long. */
  #closingQuote(): number {
    let end = this.#at;
    let backslashes: number;
    do {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) this.fail('a string that ends in a double quote expected');
      backslashes = 0;
      while (this.#text[end - 1 - backslashes] === '\\') backslashes += 1;
    } while (backslashes % 2 === 1);
    return end;
  }

  fail(expectation: string): never {
    const before = this.#text.slice(0, this.#at).split('\n');
    const line = before.length;
    const column = (before.at(-1)?.length ?? 0) + 1;
    const place = `line ${line}, column ${column}`;
    throw refuse('invalid_json', `the body is not a JSON object of arguments: ${place}: ${expectation}`, {
      line,
      column,
    });
  }
}

/** Undefined also for half of a surrogate pair, which no command could be given. */
function unquoted(literal: string): string | undefined {
  try {
    const string: string = JSON.parse(literal);
    return string.isWellFormed() ? string : undefined;
  } catch {
    return undefined;
  }
}
