import type { FindValue, FoundValue } from '../find-value.ts';
import type {
  Flow,
  HeldWord,
  Reference,
  RefusedPlace,
  RefusedUse,
  Setting,
  SimpleCommand,
  Span,
  ValueUse,
} from './script.ts';

/** A here-document whose body begins after the next newline. */
export interface AwaitedBody {
  readonly delimiter: string;
  readonly stripsTabs: boolean;
  readonly expands: boolean;
  readonly consumer: Span;
}

/** The place in the text, and what was found so far. The functions of this folder move it. */
export interface Reader {
  readonly text: string;
  readonly findValue: FindValue;
  at: number;
  /** How many commands and expansions the place is inside of. */
  depth: number;
  /** How many words were begun. */
  words: number;
  /** Where reading stops: the end of the text, or of the backquotes that are being read. */
  end: number;
  /** Set while the reader is where values are refused. */
  refusedPlace: RefusedPlace | undefined;
  awaitedBodies: AwaitedBody[];
  isPlain: boolean;
  readonly commands: SimpleCommand[];
  readonly values: ValueUse[];
  readonly refused: RefusedUse[];
  readonly held: HeldWord[];
  readonly references: Reference[];
  readonly settings: Setting[];
  readonly flows: Flow[];
  readonly descriptors: Span[];
  readonly functions: Set<string>;
  /** Reads commands until something that ends them; words can hold commands, so this breaks the circle of modules. */
  readonly readList: (reader: Reader) => void;
}

/**
 * Thrown where the text leaves what every `/bin/sh` reads alike. Such a text may still run, but not with values in it;
 * `never`: no shell can read it at all.
 */
export class NotUnderstood extends Error {
  readonly span: Span;
  readonly never: boolean;

  constructor(span: Span, message: string, never = false) {
    super(message);
    this.span = span;
    this.never = never;
  }
}

/** Commands and expansions inside one another: more than anybody writes, and far less than a stack holds. */
const DEEPEST = 100;

/** What ends a bare word. */
const DELIMITERS = ' \t\n;&|<>()';

export function peek(reader: Reader, ahead = 0): string {
  const at = reader.at + ahead;
  return at < reader.end ? reader.text.charAt(at) : '';
}

export function atEnd(reader: Reader): boolean {
  return reader.at >= reader.end;
}

export function startsWith(reader: Reader, text: string): boolean {
  return reader.at + text.length <= reader.end && reader.text.startsWith(text, reader.at);
}

export function take(reader: Reader, text: string): boolean {
  if (!startsWith(reader, text)) return false;
  reader.at += text.length;
  return true;
}

/** Whether a word cannot go on at this distance from here. */
export function isDelimiter(reader: Reader, ahead = 0): boolean {
  const char = peek(reader, ahead);
  return char === '' || DELIMITERS.includes(char);
}

export function matchHere(reader: Reader, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = reader.at;
  const match = sticky.exec(reader.text);
  return match !== null && reader.at + match[0].length <= reader.end ? match : undefined;
}

export function valueHere(reader: Reader, ahead = 0): FoundValue | undefined {
  const at = reader.at + ahead;
  const found = reader.findValue(reader.text, at);
  return found !== undefined && at + found.length <= reader.end ? found : undefined;
}

/** Reads something that can hold its own kind; a text that is nested too deep for this reader's stack is not understood. */
export function deeper(reader: Reader, read: () => void): void {
  if (reader.depth === DEEPEST) {
    throw notUnderstood(reader, reader.at, `this is nested more than ${DEEPEST} deep`);
  }
  reader.depth += 1;
  read();
  reader.depth -= 1;
}

/** The text from a place up to the reader. */
export function textSince(reader: Reader, start: number): string {
  return reader.text.slice(start, reader.at);
}

/** A problem from `start` up to the reader, one character at least. */
export function notUnderstood(reader: Reader, start: number, message: string): NotUnderstood {
  return new NotUnderstood({ start, end: Math.max(reader.at, start + 1) }, message);
}
