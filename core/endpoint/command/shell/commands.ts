import {
  isDelimiter,
  matchHere,
  notUnderstood,
  peek,
  type Reader,
  skipBlanks,
  startsWith,
} from './reader.ts';
import type { Setting, ShellWord, Span } from './script.ts';
import { readWord } from './word.ts';

/** A list of commands that is open: the whole text, or the inside of a compound command. */
interface OpenList {
  readonly start: number;
  /** The word or sign that closes it. */
  readonly close: string;
  /** Where the current pipeline began, and where each of its later stages began. */
  pipeline: number;
  stages: number[];
  /** A `|` stands before the current place, so a newline does not end the pipeline. */
  awaitsStage: boolean;
}

const CLOSE: Readonly<Record<string, string>> = {
  '(': ')',
  '{': '}',
  if: 'fi',
  while: 'done',
  until: 'done',
  for: 'done',
};
const RESERVED =
  /!|[{}]|done|do|elif|else|esac|fi|for|if|in|then|until|while|case|function|select|coproc|\[\[/y;
const NOT_READ = new Set(['case', 'esac', 'function', 'select', 'coproc', '[[']);
/** Longer operators first. */
const OPERATORS = ['&&', '||', '|', ';', '&', '\n'] as const;
const MAX_DEPTH = 100;

/** Reads commands up to a `)` that closes none of them, or the end. */
export function readCommands(reader: Reader): void {
  const open: OpenList[] = [newList(reader, '')];
  let closed: Span | undefined;
  for (;;) {
    skipBlanks(reader);
    const list = open.at(-1) as OpenList;
    const sign = peek(reader);
    if (sign === '' || (sign === ')' && list.close === '')) break;
    if (takeSeparator(reader, list)) closed = undefined;
    else if (closed !== undefined && readRedirect(reader, closed)) continue;
    else {
      const word = structureHere(reader);
      list.awaitsStage = false;
      if (word === undefined && closed === undefined) readSimpleCommand(reader);
      else closed = readStructure(reader, open, word ?? sign, closed);
    }
  }
  const [whole, inner] = open;
  if (inner !== undefined)
    throw notUnderstood(reader, inner.start, `this command is never closed by ${inner.close}`);
  if (whole !== undefined) endPipeline(reader, whole);
}

function newList(reader: Reader, close: string): OpenList {
  return { start: reader.at, close, pipeline: reader.at, stages: [], awaitsStage: false };
}

/** A parenthesis, or a reserved word that stands whole and unquoted where a command begins. */
function structureHere(reader: Reader): string | undefined {
  const sign = peek(reader);
  if (sign === '(' || sign === ')') return sign;
  const word = matchHere(reader, RESERVED)?.[0] ?? '';
  return word !== '' && isDelimiter(reader, word.length) ? word : undefined;
}

/** Opens or closes a compound command. Returns the one that was closed, to which redirections may belong. */
function readStructure(
  reader: Reader,
  open: OpenList[],
  word: string,
  closed: Span | undefined,
): Span | undefined {
  const list = open.at(-1) as OpenList;
  const start = reader.at;
  if (NOT_READ.has(word)) throw notUnderstood(reader, start, `values cannot stand beside "${word}"`);
  if (startsWith(reader, '(('))
    throw notUnderstood(reader, start, '(( is arithmetic to some shells: put a space between the two (');
  reader.isPlain = false;
  if (word === list.close) {
    endPipeline(reader, list);
    reader.at += word.length;
    open.pop();
    return { start: list.start, end: reader.at };
  }
  const close = CLOSE[word];
  if (closed !== undefined && (close !== undefined || word === '!'))
    throw notUnderstood(reader, start, `${word} is not expected here: put a ; before it`);
  if (close === undefined && !/^(?:then|else|elif|do|!)$/.test(word))
    throw notUnderstood(reader, start, `${word} is not expected here: quote it`);
  if (close !== undefined) open.push(newList(reader, close));
  else if (word !== '!') endPipeline(reader, list);
  if (open.length > MAX_DEPTH)
    throw notUnderstood(reader, start, `this is nested more than ${MAX_DEPTH} deep`);
  reader.at += word.length;
  if (word === 'for') readLoopHead(reader, start);
  const inner = open.at(-1) as OpenList;
  if (inner.stages.length === 0 && word !== '!') inner.pipeline = reader.at;
  return undefined;
}

/** Moves past an operator between commands. A continued line directly behind it could join two operators. */
function takeSeparator(reader: Reader, list: OpenList): boolean {
  const start = reader.at;
  if (startsWith(reader, '&>') || startsWith(reader, ';;')) throw dialect(reader, start);
  const operator = OPERATORS.find((candidate) => startsWith(reader, candidate));
  if (operator === undefined) return false;
  const continues = operator === '|' || (operator === '\n' && list.awaitsStage);
  if (!continues) endPipeline(reader, list);
  reader.at += operator.length;
  if (startsWith(reader, '\\\n') || (operator === '|' && peek(reader) === '&')) throw dialect(reader, start);
  if (operator === '\n') skipBodies(reader);
  list.awaitsStage = continues;
  if (operator === '|') list.stages.push(reader.at);
  else if (!continues) list.pipeline = reader.at;
  if (operator !== '\n' || reader.commands.length > 0) reader.isPlain &&= operator === '\n' && isLast(reader);
  return true;
}

/** Whether nothing but blanks follows: a newline at the end of a text changes nothing. */
function isLast(reader: Reader): boolean {
  return reader.text.slice(reader.at).trim() === '';
}

/** Moves past the here-documents that the newline here begins. */
function skipBodies(reader: Reader): void {
  for (const delimiter of reader.awaitedBodies.splice(0)) {
    const start = reader.at;
    const end = `\n${reader.text}\n`.indexOf(`\n${delimiter}\n`, start);
    reader.at = end === -1 ? reader.text.length : Math.min(end + delimiter.length + 1, reader.text.length);
    for (let at = start; at < reader.at; at++)
      if (reader.findValue(reader.text, at) !== undefined)
        throw notUnderstood(reader, at, 'a value cannot stand in a here-document');
    if (end === -1) throw notUnderstood(reader, start, `this here-document is never closed by ${delimiter}`);
  }
}

function dialect(reader: Reader, start: number) {
  return notUnderstood(
    reader,
    start,
    'shells read this operator in different ways: write "> file 2>&1" for &>, and put a space before a backslash',
  );
}

function endPipeline(reader: Reader, list: OpenList): void {
  for (const stage of list.stages) {
    const source = { start: list.pipeline, end: stage };
    reader.flows.push({ source, consumer: { start: stage, end: reader.at } });
  }
  list.stages = [];
}

function readLoopHead(reader: Reader, start: number): void {
  skipBlanks(reader);
  const name = matchHere(reader, /[A-Za-z_][A-Za-z0-9_]*/y)?.[0] ?? '';
  reader.at += name.length;
  skipBlanks(reader);
  if (name === '' || structureHere(reader) !== 'in')
    throw notUnderstood(reader, start, '"for NAME in" is expected');
  reader.at += 2;
  skipBlanks(reader);
  for (let word = readWord(reader); word !== undefined; word = readWord(reader)) {
    reader.held.push({ word, canVanish: true });
    reader.settings.push({ name, word, start: word.start, end: word.end, forCommand: false });
    skipBlanks(reader);
  }
  if (peek(reader) !== ';' && peek(reader) !== '\n')
    throw notUnderstood(reader, start, 'a ; is expected before "do"');
}

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?(\+?)=/;

/** Reads assignments, words and redirections up to the end of the command. */
function readSimpleCommand(reader: Reader): void {
  const words: ShellWord[] = [];
  const assignments: Omit<Setting, 'forCommand'>[] = [];
  // Redirections hold the command before its end is known.
  const span = { start: reader.at, end: reader.at };
  for (let more = true; more; ) {
    if (!readRedirect(reader, span)) {
      const word = readWord(reader);
      if (word === undefined) more = false;
      else if (words.length > 0 || !readAssignment(reader, word, assignments)) words.push(word);
      if (word !== undefined) reader.held.push({ word, canVanish: words.length > 0 });
    }
    if (more) span.end = reader.at;
    skipBlanks(reader);
  }
  if (span.end === span.start)
    throw notUnderstood(reader, reader.at, `a command is expected before ${peek(reader)}`);
  if (peek(reader) === '(')
    throw notUnderstood(reader, reader.at, 'values cannot stand beside a function: quote the (');
  reader.settings.push(...assignments.map((each) => ({ ...each, forCommand: words.length > 0 })));
  reader.commands.push({ ...span, words });
}

function readAssignment(
  reader: Reader,
  word: ShellWord,
  assignments: Omit<Setting, 'forCommand'>[],
): boolean {
  const match = ASSIGNMENT.exec(reader.text.slice(word.start, word.end));
  if (match === null) return false;
  const [, name = '', subscript, plus] = match;
  if (subscript !== undefined || plus !== '')
    throw notUnderstood(reader, word.start, 'arrays and += are not known to every /bin/sh');
  reader.isPlain = false;
  assignments.push({ name, word, start: word.start, end: word.end });
  return true;
}

const REDIRECT = /[0-9]*(<<|<\(|>\(|<&|<>|<|>>|>&|>\||>)/y;
/** A here-document is read with a quoted word behind `<<`, and with nothing behind it that could hold a newline. */
const HERE_DOCUMENT = /'([A-Za-z0-9_]+)'(?=[^'"\\`$\n]*\n)/y;

/** Reads one redirection of a command. Returns false when none begins here. */
function readRedirect(reader: Reader, consumer: Span): boolean {
  const start = reader.at;
  const match = matchHere(reader, REDIRECT);
  const operator = match?.[1] ?? '';
  if (match === undefined) return false;
  reader.at += match[0].length;
  reader.isPlain = false;
  const delimiter = operator === '<<' ? matchHere(reader, HERE_DOCUMENT) : undefined;
  if (delimiter !== undefined && reader.substitutions === 0) {
    reader.at += delimiter[0].length;
    reader.awaitedBodies.push(delimiter[1] ?? '');
    return true;
  }
  if (operator === '<<' || operator.endsWith('('))
    throw notUnderstood(
      reader,
      start,
      `values cannot stand beside ${operator}, but beside << 'WORD' with a quoted word`,
    );
  if (startsWith(reader, '\\\n')) throw dialect(reader, start);
  skipBlanks(reader);
  const target = readWord(reader);
  if (target === undefined) throw notUnderstood(reader, start, `a file is expected after ${operator}`);
  reader.held.push({ word: target, canVanish: false });
  reader.redirects.push({ operator, target, consumer });
  if (operator.startsWith('<')) reader.flows.push({ source: target, consumer });
  return true;
}
