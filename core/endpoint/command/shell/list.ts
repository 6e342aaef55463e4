import { skipBlanks, skipLines, takeOperator } from './blanks.ts';
import { readCompound } from './compound.ts';
import { atEnd, deeper, notUnderstood, peek, type Reader, startsWith } from './reader.ts';
import { reservedWordHere, takeReserved } from './reserved.ts';
import { readSimpleCommand } from './simple-command.ts';

const CLOSING: ReadonlySet<string> = new Set(['then', 'else', 'elif', 'fi', 'do', 'done', 'esac', '}']);

/** Reads commands until a `)`, a `;;`, a word such as `fi`, or the end: the caller knows which of them it wants. */
export function readList(reader: Reader): void {
  deeper(reader, () => readCommands(reader));
}

function readCommands(reader: Reader): void {
  for (;;) {
    skipLines(reader);
    if (isOver(reader)) return;
    readAndOr(reader);
    skipBlanks(reader);
    if (!takeSeparator(reader) && peek(reader) !== '\n') {
      if (isOver(reader)) return;
      throw notUnderstood(reader, reader.at, `${peek(reader)} is not expected here`);
    }
  }
}

function isOver(reader: Reader): boolean {
  if (atEnd(reader) || peek(reader) === ')' || startsWith(reader, ';;')) return true;
  const word = reservedWordHere(reader);
  return word !== undefined && CLOSING.has(word);
}

function takeSeparator(reader: Reader): boolean {
  if (startsWith(reader, '&>')) {
    throw notUnderstood(
      reader,
      reader.at,
      '&> means different things to different shells: write "> file 2>&1"',
    );
  }
  return takeOperator(reader, '&') || (!startsWith(reader, ';;') && takeOperator(reader, ';'));
}

function readAndOr(reader: Reader): void {
  readPipeline(reader);
  skipBlanks(reader);
  while (takeOperator(reader, '&&') || takeOperator(reader, '||')) {
    skipLines(reader);
    readPipeline(reader);
    skipBlanks(reader);
  }
}

function readPipeline(reader: Reader): void {
  if (takeReserved(reader, '!')) skipBlanks(reader);
  const start = reader.at;
  readCommand(reader);
  skipBlanks(reader);
  while (!startsWith(reader, '||') && takeOperator(reader, '|')) {
    skipLines(reader);
    const stage = reader.at;
    readCommand(reader);
    reader.flows.push({ source: { start, end: stage }, consumer: { start: stage, end: reader.at } });
    skipBlanks(reader);
  }
}

function readCommand(reader: Reader): void {
  if (!readCompound(reader)) readSimpleCommand(reader);
}
