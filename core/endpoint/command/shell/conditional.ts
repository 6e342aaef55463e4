import { skipLines } from './blanks.ts';
import { atEnd, isDelimiter, notUnderstood, type Reader, textSince } from './reader.ts';
import { readWord } from './word.ts';

/** Operators of `[[ ]]` after and before which bash evaluates words as arithmetic or as names. */
const EVALUATING = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-v', '-R']);

/**
 * Reads `[[ … ]]` up to its `]]`; the reader stands after `[[`, which began at `start`.
 *
 * It is a command of words to dash and a language of its own to bash, where `&&`, `(` and `<` belong to it; so it is
 * skipped as bash has it, and no value may stand in it.
 */
export function readConditional(reader: Reader, start: number): void {
  const { refusedPlace } = reader;
  reader.refusedPlace = refusedPlace ?? 'conditional';
  reader.isPlain = false;
  const words = readWords(reader, start);
  reader.refusedPlace = refusedPlace;
  if (words.some((word) => EVALUATING.has(word))) noteEvaluatedNames(reader, start);
}

/** With or without a `$`: bash evaluates what the variable contains. */
const NAME = /\$?\{?([A-Za-z_][A-Za-z0-9_]*|(?<=\$)[0-9@*])/g;

function noteEvaluatedNames(reader: Reader, start: number): void {
  for (const match of textSince(reader, start).matchAll(NAME)) {
    const at = start + match.index;
    reader.references.push({ name: match[1] ?? '', start: at, end: at + match[0].length, evaluated: true });
  }
}

/** The source texts of the words up to `]]`. */
function readWords(reader: Reader, start: number): string[] {
  const words: string[] = [];
  for (;;) {
    skipLines(reader);
    if (atEnd(reader)) throw notUnderstood(reader, start, 'this [[ is never closed by a ]]');
    const wordStart = reader.at;
    if (isDelimiter(reader)) reader.at += 1;
    else readWord(reader);
    const word = textSince(reader, wordStart);
    if (word === ']]') return words;
    words.push(word);
  }
}
