import type { FindValue } from '../../find-value.ts';
import {
  isDelimiter,
  matchHere,
  NotUnderstood,
  notUnderstood,
  peek,
  type ShellReader,
  skipBlanks,
  startsWith,
  valueHere,
} from './reader.ts';
import type { Script, ShellWord, TextSpan } from './script.ts';
import { readWord } from './word.ts';

/** The result of reading a text. `script` holds everything before the place where the reading stopped. */
export interface ScriptReading {
  readonly script: Script & { readonly isPlain: boolean };
  readonly stopped?: NotUnderstood;
}

/**
 * Reads the part of POSIX's shell language in which values may stand (decision 57, values by type): simple commands, pipes,
 * lists, groups, redirections, `if`, `for` and `while`. The reader stops at everything else. It executes and expands
 * nothing.
 */
export function readScript(text: string, findValue: FindValue): ScriptReading {
  const reader: ShellReader = {
    commands: [],
    values: [],
    valueWords: [],
    references: [],
    settings: [],
    flows: [],
    redirects: [],
    text,
    findValue,
    at: 0,
    words: 0,
    substitutions: 0,
    isPlain: true,
    readCommands,
  };
  try {
    readCommands(reader);
    if (peek(reader) !== '')
      throw notUnderstood(reader, reader.at, `${peek(reader)} is not expected here: quote it`);
    return { script: reader };
  } catch (error) {
    if (error instanceof NotUnderstood) return { script: reader, stopped: error };
    throw error;
  }
}

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
/** Longer operators first. */
const OPERATORS = ['&&', '||', '|', ';', '&', '\n'] as const;

/** Reads commands up to a `)` that closes none of them, or the end. */
function readCommands(reader: ShellReader): void {
  const open: OpenList[] = [newList(reader, '')];
  let closed: TextSpan | undefined;
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

function newList(reader: ShellReader, close: string): OpenList {
  return { start: reader.at, close, pipeline: reader.at, stages: [], awaitsStage: false };
}

/** A parenthesis, or a reserved word that stands whole and unquoted where a command begins. */
function structureHere(reader: ShellReader): string | undefined {
  const sign = peek(reader);
  if (sign === '(' || sign === ')') return sign;
  const word = matchHere(reader, RESERVED)?.[0] ?? '';
  return word !== '' && isDelimiter(reader, word.length) ? word : undefined;
}

/** Opens or closes a compound command. Returns the one that was closed, to which redirections may belong. */
function readStructure(
  reader: ShellReader,
  open: OpenList[],
  word: string,
  closed: TextSpan | undefined,
): TextSpan | undefined {
  const list = open.at(-1) as OpenList;
  const start = reader.at;
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
  const begins = close !== undefined || word === '!';
  if (begins ? closed !== undefined : !/^(?:then|else|elif|do)$/.test(word)) {
    const message = `values cannot stand beside "${word}" here: put a ; before it, or quote it`;
    throw notUnderstood(reader, start, message);
  }
  if (close !== undefined) open.push(newList(reader, close));
  else if (word !== '!') endPipeline(reader, list);
  reader.at += word.length;
  if (word === 'for') readLoopHead(reader, start);
  const inner = open.at(-1) as OpenList;
  if (inner.stages.length === 0 && word !== '!') inner.pipeline = reader.at;
  return undefined;
}

/** Moves past an operator between commands. A continued line directly behind it could join two operators. */
function takeSeparator(reader: ShellReader, list: OpenList): boolean {
  const start = reader.at;
  if (startsWith(reader, '&>') || startsWith(reader, ';;')) throw dialect(reader, start);
  const operator = OPERATORS.find((candidate) => startsWith(reader, candidate));
  if (operator === undefined) return false;
  const continues = operator === '|' || (operator === '\n' && list.awaitsStage);
  if (!continues) endPipeline(reader, list);
  reader.at += operator.length;
  if (startsWith(reader, '\\\n') || (operator === '|' && peek(reader) === '&')) throw dialect(reader, start);
  list.awaitsStage = continues;
  if (operator === '|') list.stages.push(reader.at);
  else if (!continues) list.pipeline = reader.at;
  // A newline at the beginning or the end of a text changes nothing.
  reader.isPlain &&=
    operator === '\n' && (reader.commands.length === 0 || reader.text.slice(reader.at).trim() === '');
  return true;
}

function dialect(reader: ShellReader, start: number) {
  const fix = 'write "> file 2>&1" for &>, and put a space before a backslash';
  return notUnderstood(reader, start, `shells read this operator in different ways: ${fix}`);
}

function endPipeline(reader: ShellReader, list: OpenList): void {
  for (const stage of list.stages) {
    const source = { start: list.pipeline, end: stage };
    reader.flows.push({ source, consumer: { start: stage, end: reader.at } });
  }
  list.stages = [];
}

function readLoopHead(reader: ShellReader, start: number): void {
  skipBlanks(reader);
  const name = matchHere(reader, /[A-Za-z_][A-Za-z0-9_]*/y)?.[0] ?? '';
  reader.at += name.length;
  skipBlanks(reader);
  if (name === '' || structureHere(reader) !== 'in')
    throw notUnderstood(reader, start, '"for NAME in" is expected');
  reader.at += 2;
  skipBlanks(reader);
  for (let word = readWord(reader); word !== undefined; word = readWord(reader)) {
    reader.valueWords.push({ word, canVanish: true });
    reader.settings.push({ name, word, forCommand: false });
    skipBlanks(reader);
  }
  if (peek(reader) !== ';' && peek(reader) !== '\n')
    throw notUnderstood(reader, start, 'a ; is expected before "do"');
}

/** Reads assignments, words and redirections up to the end of the command. */
function readSimpleCommand(reader: ShellReader): void {
  const words: ShellWord[] = [];
  const assigned: { readonly name: string; readonly word: ShellWord }[] = [];
  // Redirections hold the command before its end is known.
  const span = { start: reader.at, end: reader.at };
  for (;;) {
    const isRedirect = readRedirect(reader, span);
    const word = isRedirect ? undefined : readWord(reader);
    if (!isRedirect && word === undefined) break;
    if (word !== undefined) {
      const name = words.length === 0 ? assignedName(reader, word) : undefined;
      if (name === undefined) words.push(word);
      else assigned.push({ name, word });
      reader.valueWords.push({ word, canVanish: words.length > 0 });
    }
    span.end = reader.at;
    skipBlanks(reader);
  }
  if (span.end === span.start)
    throw notUnderstood(reader, reader.at, `a command is expected before ${peek(reader)}`);
  if (peek(reader) === '(')
    throw notUnderstood(reader, reader.at, 'values cannot stand beside a function: quote the (');
  if (assigned.length > 0) reader.isPlain = false;
  reader.settings.push(...assigned.map((each) => ({ ...each, forCommand: words.length > 0 })));
  reader.commands.push({ ...span, words });
}

/** The variable that a word before the name of the command sets. */
function assignedName(reader: ShellReader, word: ShellWord): string | undefined {
  const text = reader.text.slice(word.start, word.end);
  const [, name, more] = /^([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\]\+?|\+)?=/.exec(text) ?? [];
  if (more !== undefined)
    throw notUnderstood(reader, word.start, 'arrays and += are not known to every /bin/sh');
  return name;
}

const REDIRECT = /[0-9]*(<<|<\(|>\(|<&|<>|<|>>|>&|>\||>)/y;
/** A here-document with a quoted word that ends its line. */
const HERE_DOCUMENT = /'([A-Za-z0-9_]+)'\n(?:[\s\S]*?\n)??\1(?=\n|$)/y;

/** Reads one redirection of a command. Returns false when none begins here. */
function readRedirect(reader: ShellReader, consumer: TextSpan): boolean {
  const start = reader.at;
  const match = matchHere(reader, REDIRECT);
  const operator = match?.[1] ?? '';
  if (match === undefined) return false;
  reader.at += match[0].length;
  reader.isPlain = false;
  const document = operator === '<<' && reader.substitutions === 0 && matchHere(reader, HERE_DOCUMENT);
  if (document) {
    for (const end = reader.at + document[0].length; reader.at < end; reader.at++)
      if (valueHere(reader) !== undefined)
        throw notUnderstood(reader, reader.at, 'a value cannot stand in a here-document');
    return true;
  }
  if (operator === '<<' || operator.endsWith('(')) {
    const message = `values cannot stand beside ${operator}, but beside << 'WORD' with a quoted word at the end of the line`;
    throw notUnderstood(reader, start, message);
  }
  if (startsWith(reader, '\\\n')) throw dialect(reader, start);
  skipBlanks(reader);
  const target = readWord(reader);
  if (target === undefined) throw notUnderstood(reader, start, `a file is expected after ${operator}`);
  reader.valueWords.push({ word: target, canVanish: false });
  reader.redirects.push({ operator, target, consumer });
  if (operator.startsWith('<')) reader.flows.push({ source: target, consumer });
  return true;
}
