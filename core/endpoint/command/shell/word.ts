import { LIMITS } from '../../../plan/limits.ts';
import type { FoundValue } from '../../find-value.ts';
import { readExpansion } from './expansion.ts';
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
import type { Quote, ShellWord, WordPart } from './script.ts';

/**
 * A word that is being read. `skeleton` is its unquoted text, with `q` for quoted characters, `v` for a value and `e` for
 * an expansion: a shell finds patterns, braces and `~` only there.
 */
interface WordDraft {
  readonly parts: WordPart[];
  skeleton: string;
}

const PATTERN = /[*?]|\[[\s\S]+\]/;
/** bash expands `{a,b}` and `{1..9}` also as /bin/sh; dash and busybox do not. */
const BRACES = /\{[\s\S]*(?:,|\.\.)[\s\S]*\}/;

/** Reads the word that begins here. Returns undefined when something else stands here. */
export function readWord(reader: Reader): ShellWord | undefined {
  if (isDelimiter(reader)) return undefined;
  const draft: WordDraft = { parts: [], skeleton: '' };
  const start = reader.at;
  reader.words += 1;
  if (reader.words > LIMITS.commandWords)
    throw notUnderstood(reader, start, `more than ${LIMITS.commandWords} words are not checked`);
  while (!isDelimiter(reader)) {
    if (startsWith(reader, '\\\n')) {
      endAtContinuedLine(reader, start);
      break;
    }
    readPart(reader, draft, 'bare');
  }
  return finishWord(reader, draft, start);
}

function finishWord(reader: Reader, { parts, skeleton }: WordDraft, start: number): ShellWord {
  const hasBraces = BRACES.test(skeleton);
  if (hasBraces && parts.some(({ kind }) => kind === 'argument' || kind === 'secret')) {
    const message =
      'some shells expand the braces of this word and some do not: quote them, or write the words out';
    throw notUnderstood(reader, start, message);
  }
  const multiplies = hasBraces || PATTERN.test(skeleton);
  const expansions = parts.filter((part) => part.kind === 'expansion');
  return {
    start,
    end: reader.at,
    parts,
    needsShell: multiplies || expansions.length > 0 || skeleton.startsWith('~'),
    canMultiply: multiplies || expansions.some(({ quoted }) => !quoted),
  };
}

/** Between blanks a continued line means nothing; inside a word it would join two lines into one token. */
function endAtContinuedLine(reader: Reader, start: number): void {
  if (/^\\\n[ \t\n]?$/.test(reader.text.slice(reader.at, reader.at + 3))) return;
  reader.at += 2;
  const message =
    'a line is continued inside a word: put a space before the backslash, or write the word on one line';
  throw notUnderstood(reader, start, message);
}

/** Reads one value, expansion, quoted part or character. */
function readPart(reader: Reader, draft: WordDraft, quote: Quote): void {
  const start = reader.at;
  const value = valueHere(reader);
  const char = peek(reader);
  if (value !== undefined) readValue(reader, draft, value, quote);
  else if (quote === 'single') appendText(reader, draft, char, quote);
  else if (char === '`') throw backquotes(reader);
  else if (char === '\\') readEscape(reader, draft, quote);
  else if (char === '$' && readExpansion(reader, quote)) {
    draft.skeleton += 'e';
    draft.parts.push({ kind: 'expansion', quoted: quote !== 'bare', start, end: reader.at });
  } else if (quote === 'bare' && char === "'") readQuotes(reader, draft, 'single');
  else if (quote === 'bare' && char === '"') readQuotes(reader, draft, 'double');
  else appendText(reader, draft, char, char === '$' ? 'double' : quote);
}

function readValue(reader: Reader, draft: WordDraft, { kind, name, length }: FoundValue, quote: Quote): void {
  const start = reader.at;
  const before = reader.text.charAt(start - 1);
  reader.at += length;
  if (before === '\\' || before === '$')
    throw notUnderstood(
      reader,
      start,
      `a value cannot stand directly behind ${before}: write '${before}' before it`,
    );
  if (reader.substitutions > 0) throw notUnderstood(reader, start, 'a value cannot stand inside $( )');
  reader.values.push({ kind, name, quote, start, end: reader.at });
  draft.parts.push({ kind, name });
  draft.skeleton += 'v';
}

/** Adds resolved text, and moves past `length` characters of the source. */
function appendText(
  reader: Reader,
  draft: WordDraft,
  text: string,
  quote: Quote,
  length = text.length,
): void {
  reader.at += length;
  draft.skeleton += quote === 'bare' ? text : 'q';
  const last = draft.parts.at(-1);
  if (last?.kind === 'text') draft.parts[draft.parts.length - 1] = { kind: 'text', text: last.text + text };
  else draft.parts.push({ kind: 'text', text });
}

function readQuotes(reader: Reader, draft: WordDraft, quote: 'single' | 'double'): void {
  const start = reader.at;
  const mark = peek(reader);
  appendText(reader, draft, '', quote, 1);
  while (!take(reader, mark)) {
    if (peek(reader) === '') throw unclosed(start, mark);
    readPart(reader, draft, quote);
  }
}

/** Before a value, and at the very end, a backslash stands for itself. The value is then refused for what is before it. */
function readEscape(reader: Reader, draft: WordDraft, quote: Quote): void {
  const next = peek(reader, 1);
  const isText = next === '' || valueHere(reader, 1) !== undefined;
  if (quote === 'double' && next === '\n') {
    if (reader.text.charAt(reader.at - 1) === '$')
      throw notUnderstood(reader, reader.at - 1, 'a line is continued right behind this $');
    reader.at += 2;
  } else if (isText || (quote === 'double' && !'$`"\\'.includes(next)))
    appendText(reader, draft, '\\', 'double');
  else appendText(reader, draft, next, 'double', 2);
}

/** Backquotes change their text before they read it as commands. An unclosed one runs in no shell. */
function backquotes(reader: Reader): NotUnderstood {
  const isClosed = /^`(?:[^`\\]|\\[\s\S])*`/.test(reader.text.slice(reader.at));
  if (!isClosed) return unclosed(reader.at, '`');
  return notUnderstood(reader, reader.at, 'values cannot stand beside backquotes: use $( )');
}

function unclosed(start: number, quote: string): NotUnderstood {
  return new NotUnderstood({ start, end: start + 1 }, `this ${quote} is never closed`, true);
}
