import { isDelimiter, matchHere, notUnderstood, type Reader } from './reader.ts';

const RESERVED = /!|\{|\}|case|done|do|elif|else|esac|fi|for|if|in|then|until|while/y;
/** Reserved in bash, mere words to others: what follows them is read in two ways. */
const DIALECT = /function|select|coproc/y;

/** The reserved word that stands here whole and unquoted. Only where a command begins is it one. */
export function reservedWordHere(reader: Reader): string | undefined {
  const dialect = matchHere(reader, DIALECT);
  if (dialect !== undefined && isDelimiter(reader, dialect[0].length)) {
    throw notUnderstood(reader, reader.at, `"${dialect[0]}" is not known to every /bin/sh`);
  }
  const match = matchHere(reader, RESERVED);
  return match !== undefined && isDelimiter(reader, match[0].length) ? match[0] : undefined;
}

/** Moves past a reserved word if it stands here. */
export function takeReserved(reader: Reader, word: string): boolean {
  if (reservedWordHere(reader) !== word) return false;
  reader.isPlain = false;
  reader.at += word.length;
  return true;
}

/** Moves past a reserved word that must stand here. */
export function expectReserved(reader: Reader, word: string, start: number): void {
  if (!takeReserved(reader, word)) throw notUnderstood(reader, start, `"${word}" is missing`);
}
