import { LIMITS } from '../../plan/limits.ts';
import { ANY_BUT_LINE_END, rangeSet } from './char-set.ts';
import { compileStates, type PatternState } from './compile-states.ts';
import { type Cursor, NotAPattern, peekChar, takeChar, takeCodePoint, takeMatch } from './cursor.ts';
import { readClass } from './read-class.ts';
import { readEscape } from './read-escape.ts';
import type { PatternNode, PatternProblem } from './syntax.ts';

/** A pattern that is ready to match. */
export interface Pattern {
  readonly kind: 'pattern';
  readonly source: string;
  readonly states: readonly PatternState[];
}

/**
 * Reads the regular expression of an argument (decision 9): the part of ECMAScript's `u` syntax that matches in linear time.
 *
 * Literals, `.`, classes, `\d \w \s` and their opposites, `\t \n \r \f \v`, `\xHH`, `\uHHHH`, `\u{…}`, `\p{…}`, groups, `|`,
 * `* + ? {m} {m,} {m,n}`, `^` and `$`. Refused: back-references, look-around, `\b`, named groups. What is accepted means
 * what it means in ECMAScript.
 */
export function parsePattern(text: string): Pattern | PatternProblem {
  if (text.length > LIMITS.patternChars) {
    return { kind: 'problem', offset: 0, message: `a pattern has at most ${LIMITS.patternChars} characters` };
  }
  const cursor: Cursor = { text, at: 0 };
  try {
    const node = readChoice(cursor);
    if (cursor.at < text.length)
      throw new NotAPattern(cursor.at, 'this ) closes nothing: \\) is the character');
    return { kind: 'pattern', source: text, states: compileStates(node) };
  } catch (error) {
    if (error instanceof NotAPattern)
      return { kind: 'problem', offset: error.offset, message: error.message };
    throw error;
  }
}

function readChoice(cursor: Cursor): PatternNode {
  const options = [readSequence(cursor)];
  while (takeChar(cursor, '|')) options.push(readSequence(cursor));
  const [only] = options;
  return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
}

function readSequence(cursor: Cursor): PatternNode {
  const items: PatternNode[] = [];
  while (cursor.at < cursor.text.length && !'|)'.includes(peekChar(cursor))) items.push(readRepeated(cursor));
  return { kind: 'sequence', items };
}

const COUNT = /\{(\d+)(,?)(\d*)\}/y;

function readRepeated(cursor: Cursor): PatternNode {
  const item = readAtom(cursor);
  const start = cursor.at;
  const bounds = readBounds(cursor);
  if (bounds === undefined) return item;
  if (item.kind === 'edge') throw new NotAPattern(start, '^ and $ cannot be repeated');
  takeChar(cursor, '?');
  return { kind: 'repeat', item, ...bounds };
}

function readBounds(cursor: Cursor): { min: number; max?: number } | undefined {
  if (takeChar(cursor, '*')) return { min: 0 };
  if (takeChar(cursor, '+')) return { min: 1 };
  if (takeChar(cursor, '?')) return { min: 0, max: 1 };
  const start = cursor.at;
  const count = takeMatch(cursor, COUNT);
  if (count === undefined) return undefined;
  const min = Number(count[1]);
  if (count[2] === '') return { min, max: min };
  if (count[3] === '') return { min };
  const max = Number(count[3]);
  if (max < min) throw new NotAPattern(start, 'the bounds run backwards: the smaller number comes first');
  return { min, max };
}

function readAtom(cursor: Cursor): PatternNode {
  const start = cursor.at;
  if (takeChar(cursor, '(')) return readGroup(cursor, start);
  if (takeChar(cursor, '[')) return { kind: 'chars', set: readClass(cursor) };
  if (takeChar(cursor, '.')) return { kind: 'chars', set: ANY_BUT_LINE_END };
  if (takeChar(cursor, '^')) return { kind: 'edge', edge: 'start' };
  if (takeChar(cursor, '$')) return { kind: 'edge', edge: 'end' };
  if ('*+?{}]'.includes(peekChar(cursor))) {
    throw new NotAPattern(
      start,
      `${peekChar(cursor)} stands alone here: \\${peekChar(cursor)} is the character`,
    );
  }
  const read = takeChar(cursor, '\\') ? readEscape(cursor, false) : takeCodePoint(cursor);
  return { kind: 'chars', set: typeof read === 'number' ? rangeSet([[read, read]]) : read };
}

function readGroup(cursor: Cursor, start: number): PatternNode {
  if (!takeChar(cursor, '?:') && peekChar(cursor) === '?') {
    throw new NotAPattern(start, 'only ( ) and (?: ) are supported: no look-around, no names, no flags');
  }
  const inner = readChoice(cursor);
  if (!takeChar(cursor, ')')) throw new NotAPattern(start, 'this ( is never closed');
  return inner;
}
