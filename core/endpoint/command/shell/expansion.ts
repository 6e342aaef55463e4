import { readArithmetic } from './arithmetic.ts';
import { readParameter } from './parameter.ts';
import {
  deeper,
  matchHere,
  NotUnderstood,
  notUnderstood,
  peek,
  type Reader,
  startsWith,
  take,
  textSince,
  valueHere,
} from './reader.ts';
import type { Quote, RefusedPlace } from './script.ts';
import { refuseValue } from './value.ts';
import { appendExpansion, appendText, type WordDraft } from './word-draft.ts';

const NAMED = /\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/y;

/** Reads what begins with the `$` here: an expansion, or the character itself. */
export function readDollar(reader: Reader, draft: WordDraft, quote: Quote): void {
  const start = reader.at;
  if (valueHere(reader, 1) === undefined && readExpansion(reader, quote)) {
    appendExpansion(draft, quote !== 'bare', { start, end: reader.at });
    return;
  }
  reader.at += 1;
  appendText(draft, '$', 'q');
}

function readExpansion(reader: Reader, quote: Quote): boolean {
  const start = reader.at;
  const named = matchHere(reader, NAMED);
  if (named !== undefined) {
    reader.at += named[0].length;
    reader.references.push({ name: named[1] ?? '', start, end: reader.at, evaluated: false });
    return true;
  }
  if (startsWith(reader, '$((')) deeper(reader, () => readArithmetic(reader));
  else if (startsWith(reader, '$(')) readSubstitution(reader);
  else if (startsWith(reader, '${')) deeper(reader, () => readParameter(reader, quote, readDollarIn));
  else return refuseDialect(reader, quote);
  return true;
}

/** An expansion inside another: only what it reads matters there. */
function readDollarIn(reader: Reader, quote: Quote): void {
  if (valueHere(reader, 1) !== undefined || !readExpansion(reader, quote)) reader.at += 1;
}

function refuseDialect(reader: Reader, quote: Quote): false {
  const next = peek(reader, 1);
  if (next === '[' || (quote === 'bare' && (next === "'" || next === '"'))) {
    const start = reader.at;
    reader.at += 2;
    throw notUnderstood(
      reader,
      start,
      `$${next} means different things to different shells: use plain quotes, or $((…))`,
    );
  }
  return false;
}

function readSubstitution(reader: Reader): void {
  const start = reader.at;
  reader.at += 2;
  readNested(reader, start, 'substitution');
  if (!take(reader, ')')) throw notUnderstood(reader, start, 'this $( is never closed by a )');
}

/** Reads commands inside a word, up to what ends them. */
function readNested(reader: Reader, start: number, place: RefusedPlace): void {
  const { refusedPlace, awaitedBodies } = reader;
  reader.refusedPlace = refusedPlace ?? place;
  reader.awaitedBodies = [];
  reader.readList(reader);
  const crosses = awaitedBodies.length > 0 && textSince(reader, start).includes('\n');
  if (reader.awaitedBodies.length > 0 || crosses) {
    throw notUnderstood(reader, start, 'a here-document and a substitution cross each other here');
  }
  reader.refusedPlace = refusedPlace;
  reader.awaitedBodies = awaitedBodies;
}

/** Reads a command substitution in backquotes; the reader stands on the first one. */
export function readBackquotes(reader: Reader, draft: WordDraft, quote: Quote): void {
  const start = reader.at;
  const close = closingBackquote(reader);
  const { end } = reader;
  reader.at += 1;
  // A backslash is taken away before the text is read as commands: such a text is only searched for values.
  if (reader.text.slice(start, close).includes('\\')) refuseValuesUpTo(reader, close);
  else {
    reader.end = close;
    readNested(reader, start, 'backquotes');
    reader.end = end;
  }
  if (reader.at !== close)
    throw notUnderstood(reader, start, 'the command in these backquotes is not understood');
  reader.at = close + 1;
  appendExpansion(draft, quote !== 'bare', { start, end: reader.at });
}

function closingBackquote(reader: Reader): number {
  for (let at = reader.at + 1; at < reader.end; at++) {
    const char = reader.text.charAt(at);
    if (char === '`') return at;
    if (char === '\\') at += 1;
  }
  throw new NotUnderstood({ start: reader.at, end: reader.at + 1 }, 'this ` is never closed', true);
}

/** Without a value in it the text may hold variables, and what it does with them is not looked at. */
function refuseValuesUpTo(reader: Reader, close: number): void {
  const { at: start, values } = reader;
  const before = values.length;
  for (; reader.at < close; reader.at++) {
    const value = valueHere(reader);
    if (value !== undefined) refuseValue(reader, value, 'backquotes');
  }
  if (values.length > before) return;
  throw notUnderstood(reader, start - 1, 'backslashes inside backquotes are not understood: use $( )');
}
