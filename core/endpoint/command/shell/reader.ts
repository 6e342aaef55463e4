import type { FindValue, FoundValue } from '../../find-value.ts';
import type { Script, TextSpan } from './script.ts';

/** The current place in the text, and everything found so far. The functions of this folder move `at`. */
export interface ShellReader extends Script {
  readonly text: string;
  readonly findValue: FindValue;
  at: number;
  /** How many words have begun. */
  words: number;
  /** How many `$( )` enclose the current place. */
  substitutions: number;
  /** The text is words alone: no operator, comment, assignment, redirection or compound command. */
  isPlain: boolean;
  /** Reads commands up to a `)` or the end. Words can hold commands, so this field breaks the cycle of modules. */
  readonly readCommands: (reader: ShellReader) => void;
}

/**
 * Thrown where the text leaves the language of `readScript`. Such a text may run, but not with values in it.
 * `never`: no shell can read it.
 */
export class NotUnderstood extends Error {
  readonly span: TextSpan;
  readonly never: boolean;

  constructor(span: TextSpan, message: string, never = false) {
    super(message);
    this.span = span;
    this.never = never;
  }
}

/** The characters that end an unquoted word. */
const DELIMITERS = ' \t\n;&|<>()';

export function peek(reader: ShellReader, ahead = 0): string {
  return reader.text.charAt(reader.at + ahead);
}

export function startsWith(reader: ShellReader, text: string): boolean {
  return reader.text.startsWith(text, reader.at);
}

export function take(reader: ShellReader, text: string): boolean {
  if (!startsWith(reader, text)) return false;
  reader.at += text.length;
  return true;
}

/** Whether a word ends at this distance from the current place. */
export function isDelimiter(reader: ShellReader, ahead = 0): boolean {
  const char = peek(reader, ahead);
  return char === '' || DELIMITERS.includes(char);
}

export function matchHere(reader: ShellReader, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = reader.at;
  return sticky.exec(reader.text) ?? undefined;
}

export function valueHere(reader: ShellReader, ahead = 0): FoundValue | undefined {
  return reader.findValue(reader.text, reader.at + ahead);
}

/** A problem from `start` up to the current place, at least one character. */
export function notUnderstood(reader: ShellReader, start: number, message: string): NotUnderstood {
  return new NotUnderstood({ start, end: Math.max(reader.at, start + 1) }, message);
}

/** Moves past blanks, continued lines and a comment. */
export function skipBlanks(reader: ShellReader): void {
  while (take(reader, ' ') || take(reader, '\t') || take(reader, '\\\n'));
  if (peek(reader) !== '#') return;
  reader.isPlain = false;
  while (peek(reader) !== '' && peek(reader) !== '\n') reader.at += 1;
}
