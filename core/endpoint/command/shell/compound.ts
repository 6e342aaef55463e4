import { skipBlanks, skipLines, takeOperator } from './blanks.ts';
import { readCase } from './case.ts';
import { matchHere, notUnderstood, peek, type Reader, startsWith, take } from './reader.ts';
import { readRedirects } from './redirect.ts';
import { expectReserved, reservedWordHere, takeReserved } from './reserved.ts';
import type { ShellWord } from './script.ts';
import { readWord } from './word.ts';

/** Reads the compound command that begins here, with its redirections; false when none does. */
export function readCompound(reader: Reader): boolean {
  const span = { start: reader.at, end: reader.at };
  if (!readBody(reader)) return false;
  readRedirects(reader, span);
  span.end = reader.at;
  return true;
}

function readBody(reader: Reader): boolean {
  if (peek(reader) === '(') return readSubshell(reader);
  switch (reservedWordHere(reader)) {
    case undefined:
    case 'in':
      return false;
    case '{':
      return readGroup(reader);
    case 'if':
      return readIf(reader);
    case 'while':
      return readLoop(reader, 'while');
    case 'until':
      return readLoop(reader, 'until');
    case 'for':
      return readFor(reader);
    case 'case':
      return readCase(reader);
    default:
      throw notUnderstood(reader, reader.at, `"${reservedWordHere(reader)}" is not expected here`);
  }
}

function readSubshell(reader: Reader): true {
  const start = reader.at;
  if (startsWith(reader, '((')) {
    throw notUnderstood(reader, start, '(( is arithmetic to some shells: put a space between the two (');
  }
  takeOperator(reader, '(');
  reader.readList(reader);
  if (!take(reader, ')')) throw notUnderstood(reader, start, 'this ( is never closed');
  return true;
}

function readGroup(reader: Reader): true {
  const start = reader.at;
  takeReserved(reader, '{');
  reader.readList(reader);
  expectReserved(reader, '}', start);
  return true;
}

function readIf(reader: Reader): true {
  const start = reader.at;
  takeReserved(reader, 'if');
  do {
    reader.readList(reader);
    expectReserved(reader, 'then', start);
    reader.readList(reader);
  } while (takeReserved(reader, 'elif'));
  if (takeReserved(reader, 'else')) reader.readList(reader);
  expectReserved(reader, 'fi', start);
  return true;
}

function readLoop(reader: Reader, word: 'while' | 'until'): true {
  const start = reader.at;
  takeReserved(reader, word);
  reader.readList(reader);
  readDo(reader, start);
  return true;
}

function readDo(reader: Reader, start: number): void {
  expectReserved(reader, 'do', start);
  reader.readList(reader);
  expectReserved(reader, 'done', start);
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;

function readFor(reader: Reader): true {
  const start = reader.at;
  takeReserved(reader, 'for');
  skipBlanks(reader);
  const name = matchHere(reader, NAME)?.[0] ?? '';
  reader.at += name.length;
  if (name === '') throw notUnderstood(reader, start, 'the name of a variable is expected after "for"');
  skipLines(reader);
  if (takeReserved(reader, 'in')) readForWords(reader, name);
  skipBlanks(reader);
  if (!startsWith(reader, ';;')) takeOperator(reader, ';');
  skipLines(reader);
  readDo(reader, start);
  return true;
}

function readForWords(reader: Reader, name: string): void {
  skipBlanks(reader);
  for (let word = readWord(reader); word !== undefined; word = readWord(reader)) {
    holdForWord(reader, name, word);
    skipBlanks(reader);
  }
}

function holdForWord(reader: Reader, name: string, word: ShellWord): void {
  reader.held.push({ word, canVanish: true });
  reader.settings.push({ name, start: word.start, end: word.end });
}
