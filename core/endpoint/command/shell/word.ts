import { LIMITS } from '../../../plan/limits.ts';
import { mayExpandBraces } from './braces.ts';
import { readBackquotes, readDollar } from './expansion.ts';
import {
  isDelimiter,
  NotUnderstood,
  notUnderstood,
  peek,
  type Reader,
  startsWith,
  take,
  valueHere,
} from './reader.ts';
import type { ShellWord } from './script.ts';
import { readValue } from './value.ts';
import { appendText, finishWord, newWord, type WordDraft } from './word-draft.ts';

/** Reads the word that begins here; undefined when something else stands here. */
export function readWord(reader: Reader): ShellWord | undefined {
  if (isDelimiter(reader)) return undefined;
  const draft = newWord();
  const start = reader.at;
  reader.words += 1;
  if (reader.words > LIMITS.commandWords) {
    throw notUnderstood(reader, start, `more than ${LIMITS.commandWords} words are not checked`);
  }
  while (!isDelimiter(reader)) {
    if (startsWith(reader, '\\\n')) {
      endAtContinuedLine(reader, start);
      break;
    }
    readBarePart(reader, draft);
  }
  const word = finishWord(draft, { start, end: reader.at });
  if (draft.holdsValue && mayExpandBraces(draft.skeleton)) {
    throw notUnderstood(
      reader,
      start,
      'some shells expand the braces of this word and some do not: quote them, or write the words out',
    );
  }
  return word;
}

/** Between blanks a continued line means nothing; inside a word it would join two lines into one token. */
function endAtContinuedLine(reader: Reader, start: number): void {
  const after = peek(reader, 2);
  if (after !== ' ' && after !== '\t' && after !== '\n' && after !== '') {
    reader.at += 2;
    throw notUnderstood(
      reader,
      start,
      'a line is continued inside a word: put a space before the backslash, or write the word on one line',
    );
  }
}

function readBarePart(reader: Reader, draft: WordDraft): void {
  const value = valueHere(reader);
  if (value !== undefined) {
    draft.parts.push(readValue(reader, value, 'bare'));
    draft.holdsValue = true;
    draft.skeleton += 'v';
    return;
  }
  const char = peek(reader);
  if (char === "'") readSingleQuotes(reader, draft);
  else if (char === '"') readDoubleQuotes(reader, draft);
  else if (char === '\\') readEscape(reader, draft);
  else if (char === '$') readDollar(reader, draft, 'bare');
  else if (char === '`') readBackquotes(reader, draft, 'bare');
  else {
    reader.at += 1;
    appendText(draft, char, char);
  }
}

function readEscape(reader: Reader, draft: WordDraft): void {
  const isLast = peek(reader, 1) === '';
  // Before a value, and at the very end, the backslash stands for itself; the value is then refused for what is before it.
  if (isLast || valueHere(reader, 1) !== undefined) {
    appendText(draft, '\\', 'q');
    reader.at += 1;
    return;
  }
  appendText(draft, peek(reader, 1), 'q');
  reader.at += 2;
}

function readSingleQuotes(reader: Reader, draft: WordDraft): void {
  const start = reader.at;
  reader.at += 1;
  appendText(draft, '', 'q');
  while (!take(reader, "'")) {
    if (peek(reader) === '') throw unclosed(start, "'");
    const value = valueHere(reader);
    if (value !== undefined) {
      draft.parts.push(readValue(reader, value, 'single'));
      draft.holdsValue = true;
    } else takeQuotedChar(reader, draft, start);
  }
}

function readDoubleQuotes(reader: Reader, draft: WordDraft): void {
  const start = reader.at;
  reader.at += 1;
  appendText(draft, '', 'q');
  while (!take(reader, '"')) {
    if (peek(reader) === '') throw unclosed(start, '"');
    const value = valueHere(reader);
    if (value !== undefined) {
      draft.parts.push(readValue(reader, value, 'double'));
      draft.holdsValue = true;
    } else if (peek(reader) === '$') readDollar(reader, draft, 'double');
    else if (peek(reader) === '`') readBackquotes(reader, draft, 'double');
    else if (peek(reader) === '\\') readQuotedEscape(reader, draft, start);
    else takeQuotedChar(reader, draft, start);
  }
}

function readQuotedEscape(reader: Reader, draft: WordDraft, quoteStart: number): void {
  const next = peek(reader, 1);
  if (next === '\n') {
    if (reader.text.charAt(reader.at - 1) === '$') {
      throw notUnderstood(reader, reader.at - 1, 'a line is continued right behind this $');
    }
    refuseNewlineBeforeBody(reader, quoteStart);
    reader.at += 2;
  } else if (next !== '' && '$`"\\'.includes(next) && valueHere(reader, 1) === undefined) {
    reader.at += 2;
    appendText(draft, next, 'q');
  } else takeQuotedChar(reader, draft, quoteStart);
}

function takeQuotedChar(reader: Reader, draft: WordDraft, quoteStart: number): void {
  const char = peek(reader);
  if (char === '\n') refuseNewlineBeforeBody(reader, quoteStart);
  reader.at += 1;
  appendText(draft, char, 'q');
}

function refuseNewlineBeforeBody(reader: Reader, quoteStart: number): void {
  if (reader.awaitedBodies.length === 0) return;
  throw notUnderstood(
    reader,
    quoteStart,
    'these quotes hold a newline on a line that begins a here-document',
  );
}

function unclosed(start: number, quote: string): NotUnderstood {
  return new NotUnderstood({ start, end: start + 1 }, `this ${quote} is never closed`, true);
}
