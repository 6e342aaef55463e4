import { skipBlanks, takeOperator } from './blanks.ts';
import { type AwaitedBody, matchHere, notUnderstood, type Reader, startsWith } from './reader.ts';
import type { ShellWord, Span } from './script.ts';
import { readWord } from './word.ts';

const DESCRIPTOR = /[0-9]+(?=[<>])/y;
/** Longer operators first. */
const OPERATORS = ['<<-', '<<', '<&', '<>', '<', '>>', '>&', '>|', '>'] as const;

/** Reads all redirections that stand here; `consumer` is the command that they belong to. */
export function readRedirects(reader: Reader, consumer: Span): void {
  do skipBlanks(reader);
  while (readRedirect(reader, consumer));
}

/** Reads one redirection; false when none begins here. */
export function readRedirect(reader: Reader, consumer: Span): boolean {
  const start = reader.at;
  reader.at += matchHere(reader, DESCRIPTOR)?.[0].length ?? 0;
  refuseDialect(reader, start);
  const operator = OPERATORS.find((candidate) => takeOperator(reader, candidate));
  if (operator === undefined) return false;
  skipBlanks(reader);
  if (operator === '<<' || operator === '<<-') {
    reader.awaitedBodies.push(readDelimiter(reader, start, operator, consumer));
    return true;
  }
  const target = readTarget(reader, start, operator);
  reader.held.push({ word: target, canVanish: false });
  if (operator.startsWith('<')) reader.flows.push({ source: target, consumer });
  return true;
}

function refuseDialect(reader: Reader, start: number): void {
  const dialect = ['<<<', '<(', '>('].find((operator) => startsWith(reader, operator));
  if (dialect !== undefined) throw notUnderstood(reader, start, `${dialect} is not known to every /bin/sh`);
}

function readTarget(reader: Reader, start: number, operator: string): ShellWord {
  const target = readWord(reader);
  if (target === undefined) throw notUnderstood(reader, start, `a file is expected after ${operator}`);
  if (operator.endsWith('&')) reader.descriptors.push(target);
  return target;
}

function readDelimiter(reader: Reader, start: number, operator: '<<' | '<<-', consumer: Span): AwaitedBody {
  const valuesBefore = reader.values.length;
  const word = readWord(reader);
  for (const use of reader.values.slice(valuesBefore)) reader.refused.push({ use, place: 'delimiter' });
  const delimiter = word?.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  if (word === undefined || delimiter === undefined || word.parts.some((part) => part.kind === 'expansion')) {
    throw notUnderstood(reader, start, `a plain word is expected after ${operator}`);
  }
  const expands = !/['"\\]/.test(reader.text.slice(word.start, word.end));
  return { delimiter, stripsTabs: operator === '<<-', expands, consumer };
}
