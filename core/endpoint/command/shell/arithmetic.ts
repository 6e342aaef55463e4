import { notUnderstood, peek, type Reader, take, textSince, valueHere } from './reader.ts';
import { refuseValue } from './value.ts';

/** A name, or a positional parameter: shells put the value of either into the expression and evaluate it again. */
const NAME = /[A-Za-z_][A-Za-z0-9_]*|\$[0-9@*]/g;

/** Reads `$(( … ))`; the reader stands on its `$`. */
export function readArithmetic(reader: Reader): void {
  const start = reader.at;
  const { refusedPlace } = reader;
  reader.refusedPlace = refusedPlace ?? 'arithmetic';
  reader.at += 3;
  for (let depth = 2; depth > 0; ) depth = step(reader, start, depth);
  reader.refusedPlace = refusedPlace;
  if (reader.awaitedBodies.length > 0 && textSince(reader, start).includes('\n')) {
    throw notUnderstood(
      reader,
      start,
      'this expression holds a newline on a line that begins a here-document',
    );
  }
  for (const match of textSince(reader, start).matchAll(NAME)) {
    const at = start + match.index;
    const name = match[0].replace('$', '');
    reader.references.push({ name, start: at, end: at + match[0].length, evaluated: true });
  }
}

/** Takes one character or value; answers how many parentheses are open after it. */
function step(reader: Reader, start: number, depth: number): number {
  const value = valueHere(reader);
  if (value !== undefined) {
    refuseValue(reader, value, reader.refusedPlace ?? 'arithmetic');
    reader.at += value.length;
    return depth;
  }
  const char = peek(reader);
  if (char === '' || '\'"`\\'.includes(char)) {
    throw notUnderstood(
      reader,
      start,
      'this arithmetic is not understood: quotes and backslashes do not belong in it',
    );
  }
  if (depth === 2 && char === ')') return close(reader, start);
  reader.at += 1;
  return depth + (char === '(' ? 1 : char === ')' ? -1 : 0);
}

function close(reader: Reader, start: number): number {
  if (take(reader, '))')) return 0;
  throw notUnderstood(
    reader,
    start,
    'this is arithmetic to one shell and commands to another: put a space between the two (',
  );
}
