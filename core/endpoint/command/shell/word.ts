import { LIMITS } from '../../../plan/limits.ts';
import type { FoundValue } from '../../find-value.ts';
import {
  isDelimiter,
  matchHere,
  NotUnderstood,
  notUnderstood,
  peek,
  type ShellReader,
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

/** A home folder alone. Where HOME is not set, zsh drops the word: `~ eval x` runs `eval x`. */
const HOME_FOLDER = /^~[^/'"\\$`{]*$/;

/** Reads the word that begins here. Returns undefined when something else stands here. */
export function readWord(reader: ShellReader): ShellWord | undefined {
  if (isDelimiter(reader)) return undefined;
  const draft: WordDraft = { parts: [], skeleton: '' };
  const start = reader.at;
  reader.words += 1;
  if (reader.words > LIMITS.commandWords)
    throw notUnderstood(reader, start, `more than ${LIMITS.commandWords} words are not checked`);
  while (!isDelimiter(reader)) readPart(reader, draft, 'bare');
  return finishWord(reader, draft, start);
}

function finishWord(reader: ShellReader, { parts, skeleton }: WordDraft, start: number): ShellWord {
  const hasBraces = BRACES.test(skeleton);
  if (hasBraces && parts.some(({ kind }) => kind === 'argument' || kind === 'secret')) {
    const message =
      'some shells expand the braces of this word and some do not: quote them, or write the words out';
    throw notUnderstood(reader, start, message);
  }
  const end = reader.at;
  if (HOME_FOLDER.test(reader.text.slice(start, end))) {
    const home = { kind: 'expansion', quoted: false, start, end } as const;
    return { start, end, parts: [home], needsShell: true, canMultiply: true };
  }
  const multiplies = hasBraces || PATTERN.test(skeleton);
  const expansions = parts.filter((part) => part.kind === 'expansion');
  return {
    start,
    end,
    parts,
    needsShell: multiplies || expansions.length > 0 || skeleton.startsWith('~'),
    canMultiply: multiplies || expansions.some(({ quoted }) => !quoted),
  };
}

/** Reads one value, expansion, quoted part or character. */
function readPart(reader: ShellReader, draft: WordDraft, quote: Quote): void {
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

/** The name in `${#x}` is `#x`, which no reference finds: the length is a number, whatever x holds. */
const NAMED = /\$(?:([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])|\{(#?[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])\})/y;
/** The operand of `${x:-operand}` is plain text: no quote, no expansion, nothing that shells read in different ways. */
const OPERATED = /\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+)(?::?[-+?]|%%?|##?)[A-Za-z0-9 ./:,*?@_+-]*\}/y;
const ARITHMETIC = /\$\(\(((?:[A-Za-z0-9_ +*/%-]|\([A-Za-z0-9_ +*/%-]*\))*)\)\)/y;
const MAX_SUBSTITUTIONS = 50;

/** Reads the expansion that begins with the `$` here. Returns false when the `$` stands for itself. */
function readExpansion(reader: ShellReader, quote: Quote): boolean {
  const start = reader.at;
  if (valueHere(reader, 1) !== undefined) return false;
  const named = matchHere(reader, NAMED) ?? matchHere(reader, OPERATED);
  if (named !== undefined) {
    reader.at += named[0].length;
    reader.references.push({ name: named[1] ?? named[2] ?? '', start, end: reader.at, evaluated: false });
    return true;
  }
  if (startsWith(reader, '$((')) return readArithmetic(reader);
  if (startsWith(reader, '$(')) return readSubstitution(reader);
  const next = peek(reader, 1);
  if (!/^[{[]$/.test(next) && (quote !== 'bare' || !/^['"]$/.test(next))) return false;
  reader.at += 2;
  const message = `values can stand beside $x, \${x}, \${x:-word}, $( ) and $(( )), but not beside $${next}`;
  throw notUnderstood(reader, start, message);
}

function readArithmetic(reader: ShellReader): true {
  const start = reader.at;
  const match = matchHere(reader, ARITHMETIC);
  if (match === undefined)
    throw notUnderstood(reader, start, 'values can stand beside $(( )) only if it holds numbers and names');
  reader.at += match[0].length;
  for (const [name] of (match[1] ?? '').matchAll(/[A-Za-z_][A-Za-z0-9_]*/g))
    reader.references.push({ name, start, end: reader.at, evaluated: true });
  return true;
}

function readSubstitution(reader: ShellReader): true {
  const start = reader.at;
  reader.at += 2;
  reader.substitutions += 1;
  if (reader.substitutions > MAX_SUBSTITUTIONS)
    throw notUnderstood(reader, start, `this is nested more than ${MAX_SUBSTITUTIONS} deep`);
  reader.readCommands(reader);
  reader.substitutions -= 1;
  if (!take(reader, ')')) throw notUnderstood(reader, start, 'this $( is never closed by a )');
  return true;
}

function readValue(
  reader: ShellReader,
  draft: WordDraft,
  { kind, name, length }: FoundValue,
  quote: Quote,
): void {
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
  reader: ShellReader,
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

function readQuotes(reader: ShellReader, draft: WordDraft, quote: 'single' | 'double'): void {
  const start = reader.at;
  const mark = peek(reader);
  appendText(reader, draft, '', quote, 1);
  while (!take(reader, mark)) {
    if (peek(reader) === '') throw unclosed(start, mark);
    readPart(reader, draft, quote);
  }
}

/** Before a value, and at the very end, a backslash stands for itself. The value is then refused for what is before it. */
function readEscape(reader: ShellReader, draft: WordDraft, quote: Quote): void {
  const next = peek(reader, 1);
  if (next === '\n' && quote === 'bare')
    throw notUnderstood(
      reader,
      reader.at,
      'a line is continued inside a word: put a space before the backslash',
    );
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
function backquotes(reader: ShellReader): NotUnderstood {
  const isClosed = /^`(?:[^`\\]|\\[\s\S])*`/.test(reader.text.slice(reader.at));
  if (!isClosed) return unclosed(reader.at, '`');
  return notUnderstood(reader, reader.at, 'values cannot stand beside backquotes: use $( )');
}

function unclosed(start: number, quote: string): NotUnderstood {
  return new NotUnderstood({ start, end: start + 1 }, `this ${quote} is never closed`, true);
}
