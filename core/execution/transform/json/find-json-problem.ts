const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const PLAIN_CHARACTERS = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The tokens that may come next, in the words of the message. */
type Expected =
  | 'a value'
  | 'a value or "]"'
  | 'a name in double quotes'
  | 'a name in double quotes or "}"'
  | '":"'
  | '"," or "]"'
  | '"," or "}"'
  | 'the rest of a string'
  | 'nothing more';

/** Where text stops being JSON and what would be accepted there, in one sentence; undefined when it is JSON throughout. */
export function findJsonProblem(text: string, firstLine = 1): string | undefined {
  const reader = new JsonReader(text);
  while (reader.readToken());
  return reader.isComplete ? undefined : `${placeOf(text, reader.at, firstLine)}: ${reader.problem()}`;
}

function placeOf(text: string, at: number, firstLine: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${firstLine + before.length - 1}, column ${(before.at(-1) ?? '').length + 1}`;
}

class JsonReader {
  readonly #text: string;
  /** The closing brackets that are due, innermost last. */
  readonly #open: (']' | '}')[] = [];
  #expected: Expected = 'a value';
  at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#skip(SPACE);
  }

  get isComplete(): boolean {
    return this.#expected === 'nothing more' && this.at === this.#text.length;
  }

  problem(): string {
    const rest = this.#text.slice(this.at, this.at + 20);
    const [found] = /^(?:[\w.+-]+|.?)/su.exec(rest) ?? [''];
    return `${found === '' ? 'the end' : JSON.stringify(found)} found, ${this.#expected} expected`;
  }

  /** False at the end of the text, and at the first token that is out of place. */
  readToken(): boolean {
    const read = this.#readExpected();
    if (read) this.#skip(SPACE);
    return read;
  }

  #readExpected(): boolean {
    switch (this.#expected) {
      case 'a value':
        return this.#readValue();
      case 'a value or "]"':
        return this.#close() || this.#readValue();
      case 'a name in double quotes':
        return this.#readString() && this.#expect('":"');
      case 'a name in double quotes or "}"':
        return this.#close() || (this.#readString() && this.#expect('":"'));
      case '":"':
        return this.#take(':') && this.#expect('a value');
      case '"," or "]"':
        return this.#close() || (this.#take(',') && this.#expect('a value'));
      case '"," or "}"':
        return this.#close() || (this.#take(',') && this.#expect('a name in double quotes'));
      case 'the rest of a string':
      case 'nothing more':
        return false;
    }
  }

  #readValue(): boolean {
    if (this.#take('{')) return this.#enter('}', 'a name in double quotes or "}"');
    if (this.#take('[')) return this.#enter(']', 'a value or "]"');
    return (this.#readString() || this.#skip(SCALAR) > 0) && this.#leaveValue();
  }

  #readString(): boolean {
    if (!this.#take('"')) return false;
    this.#expect('the rest of a string');
    do this.#skip(PLAIN_CHARACTERS);
    while (this.#skip(ESCAPE) > 0);
    return this.#take('"');
  }

  #enter(closing: ']' | '}', expected: Expected): boolean {
    this.#open.push(closing);
    return this.#expect(expected);
  }

  #close(): boolean {
    const closing = this.#open.at(-1);
    if (closing === undefined || !this.#take(closing)) return false;
    this.#open.pop();
    return this.#leaveValue();
  }

  #leaveValue(): boolean {
    const closing = this.#open.at(-1);
    if (closing === undefined) return this.#expect('nothing more');
    return this.#expect(closing === ']' ? '"," or "]"' : '"," or "}"');
  }

  #expect(expected: Expected): true {
    this.#expected = expected;
    return true;
  }

  #take(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #skip(pattern: RegExp): number {
    pattern.lastIndex = this.at;
    const length = pattern.exec(this.#text)?.[0].length ?? 0;
    this.at += length;
    return length;
  }
}
