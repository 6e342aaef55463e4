import { skipBlanks, skipLines, takeOperator } from './blanks.ts';
import { notUnderstood, type Reader, startsWith } from './reader.ts';
import { expectReserved, takeReserved } from './reserved.ts';
import { readWord } from './word.ts';

/** Reads `case … esac`; the reader stands on `case`. */
export function readCase(reader: Reader): true {
  const start = reader.at;
  takeReserved(reader, 'case');
  readFixedWord(reader, start);
  skipLines(reader);
  expectReserved(reader, 'in', start);
  skipLines(reader);
  while (!takeReserved(reader, 'esac')) {
    readBranch(reader, start);
    skipLines(reader);
  }
  return true;
}

function readBranch(reader: Reader, start: number): void {
  takeOperator(reader, '(');
  do readFixedWord(reader, start);
  while (takeOperator(reader, '|'));
  if (!takeOperator(reader, ')'))
    throw notUnderstood(reader, start, 'a ) is missing after a pattern of this case');
  reader.readList(reader);
  if (startsWith(reader, ';;&')) throw notUnderstood(reader, reader.at, ';;& is not known to every /bin/sh');
  if (!takeOperator(reader, ';;') && !startsWith(reader, 'esac')) {
    throw notUnderstood(reader, start, 'this case is never closed by "esac"');
  }
}

/** The subject or a pattern: always one word. */
function readFixedWord(reader: Reader, start: number): void {
  skipBlanks(reader);
  const word = readWord(reader);
  if (word === undefined) throw notUnderstood(reader, start, 'a word is missing in this case');
  reader.held.push({ word, canVanish: false });
  skipBlanks(reader);
}
