import { matchHere, notUnderstood, peek, type Reader, take, valueHere } from './reader.ts';
import type { Quote } from './script.ts';
import { refuseValue } from './value.ts';

const LENGTH = /\$\{#([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])\}/y;
const OPENING = /\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(\}|:?[-=?+]|%%?|##?)/y;

type ReadInner = (reader: Reader, quote: Quote) => void;

/** Reads `${…}` as POSIX has it; the reader stands on its `$`. Other forms belong to single shells and are not understood. */
export function readParameter(reader: Reader, quote: Quote, readInner: ReadInner): void {
  const start = reader.at;
  if (takeLength(reader)) return;
  const opening = matchHere(reader, OPENING);
  if (opening === undefined) {
    const value = valueHere(reader, 2);
    reader.at += 2;
    if (value !== undefined) refuseValue(reader, value, 'parameter');
    throw notUnderstood(
      reader,
      start,
      'this ${ } is not one that every shell knows: only ${x}, ${#x} and :- := :? :+ % %% # ## are',
    );
  }
  reader.at += opening[0].length;
  const operator = opening[2] ?? '}';
  const name = opening[1] ?? '';
  if (operator !== '}') readOperand(reader, quote, readInner);
  reader.references.push({ name, start, end: reader.at, evaluated: false });
  if (operator.endsWith('=')) reader.settings.push({ name, start, end: reader.at });
}

/** `${#x}` is a number, whatever x holds. */
function takeLength(reader: Reader): boolean {
  const length = matchHere(reader, LENGTH);
  reader.at += length?.[0].length ?? 0;
  return length !== undefined;
}

function readOperand(reader: Reader, quote: Quote, readInner: ReadInner): void {
  const start = reader.at;
  const { refusedPlace } = reader;
  reader.refusedPlace = refusedPlace ?? 'parameter';
  while (!take(reader, '}')) {
    const char = peek(reader);
    if (refuseValueHere(reader)) continue;
    if (char === '$') readInner(reader, quote);
    else if (quote === 'bare' && char === "'") skipSingleQuotes(reader, start);
    else if (quote === 'bare' && char === '"') readDoubleQuotes(reader, start, readInner);
    else if (char === '' || '\'"`\\{\n'.includes(char)) throw unclear(reader, start);
    else reader.at += 1;
  }
  reader.refusedPlace = refusedPlace;
}

function refuseValueHere(reader: Reader): boolean {
  const value = valueHere(reader);
  if (value === undefined) return false;
  refuseValue(reader, value, reader.refusedPlace ?? 'parameter');
  reader.at += value.length;
  return true;
}

function skipSingleQuotes(reader: Reader, start: number): void {
  reader.at += 1;
  while (!take(reader, "'")) {
    if (peek(reader) === '' || peek(reader) === '\n') throw unclear(reader, start);
    if (!refuseValueHere(reader)) reader.at += 1;
  }
}

function readDoubleQuotes(reader: Reader, start: number, readInner: ReadInner): void {
  reader.at += 1;
  while (!take(reader, '"')) {
    const char = peek(reader);
    if (char === '' || '`\\\n'.includes(char)) throw unclear(reader, start);
    if (refuseValueHere(reader)) continue;
    if (char === '$') readInner(reader, 'double');
    else reader.at += 1;
  }
}

function unclear(reader: Reader, start: number) {
  return notUnderstood(
    reader,
    start,
    'shells disagree about quotes, backslashes and newlines inside ${ }: set a variable first',
  );
}
