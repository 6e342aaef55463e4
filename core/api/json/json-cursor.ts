import { refuse } from '../../refusal.ts';

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /(?:true|false|null)\b/y;
const WORDS = { true: true, false: false, null: null } as const;

/**
 * A position in a JSON text, always before the next token. Unexpected tokens are refused with `invalid_json` and their
 * position.
 */
export class JsonCursor {
  readonly #text: string;
  /** The name of the expected body, for messages. */
  readonly #wanted: string;
  #at = 0;

  constructor(text: string, wanted: string) {
    this.#text = text;
    this.#wanted = wanted;
    this.#match(SPACE);
  }

  isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Where the next token begins, in UTF-16 code units. */
  get offset(): number {
    return this.#at;
  }

  /** The text from an offset up to here, without white space at its end. */
  textSince(offset: number): string {
    return this.#text.slice(offset, this.#at).trimEnd();
  }

  skip(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    this.#match(SPACE);
    return true;
  }

  /** A number as written. */
  number(): string | undefined {
    return this.#match(NUMBER);
  }

  word(): true | false | null | undefined {
    const word = this.#match(WORD) as keyof typeof WORDS | undefined;
    return word === undefined ? undefined : WORDS[word];
  }

  #match(token: RegExp): string | undefined {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    if (token !== SPACE) this.#match(SPACE);
    return found;
  }

  string(): string | undefined {
    if (this.#text[this.#at] !== '"') return undefined;
    const end = this.#closingQuote();
    const string = unquoted(this.#text.slice(this.#at, end + 1));
    if (string === undefined)
      this.fail('a string with valid escapes and without control characters expected');
    this.#at = end + 1;
    this.#match(SPACE);
    return string;
  }

  /** The first quote without an odd number of backslashes before it. A regular expression took 50 times as long. */
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
    throw refuse('invalid_json', `the body is not ${this.#wanted}: ${place}: ${expectation}`, {
      line,
      column,
    });
  }
}

/** Also undefined for half of a surrogate pair, which cannot be passed to a command. */
function unquoted(literal: string): string | undefined {
  try {
    const string: string = JSON.parse(literal);
    return string.isWellFormed() ? string : undefined;
  } catch {
    return undefined;
  }
}
