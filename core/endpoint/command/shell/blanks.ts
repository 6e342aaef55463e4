import { readAwaitedBodies } from './here-document.ts';
import { atEnd, notUnderstood, peek, type Reader, startsWith } from './reader.ts';

/** Moves past blanks, continued lines and a comment; the reader stands between two tokens. */
export function skipBlanks(reader: Reader): void {
  for (;;) {
    if (peek(reader) === ' ' || peek(reader) === '\t') reader.at += 1;
    else if (startsWith(reader, '\\\n')) reader.at += 2;
    else break;
  }
  if (peek(reader) === '#') skipComment(reader);
}

function skipComment(reader: Reader): void {
  reader.isPlain = false;
  while (!atEnd(reader) && peek(reader) !== '\n') reader.at += 1;
}

/** Moves past blanks and newlines, and past the here-documents that the newlines begin. */
export function skipLines(reader: Reader): void {
  skipBlanks(reader);
  while (peek(reader) === '\n') {
    reader.at += 1;
    readAwaitedBodies(reader);
    skipBlanks(reader);
  }
}

/**
 * Moves past an operator. A line that is continued right behind one could belong to a longer operator (`&\⏎&`), which is
 * not worth the risk of reading it differently than a shell.
 */
export function takeOperator(reader: Reader, operator: string): boolean {
  if (!startsWith(reader, operator)) return false;
  const start = reader.at;
  reader.at += operator.length;
  if (startsWith(reader, '\\\n')) {
    throw notUnderstood(
      reader,
      start,
      'a line is continued right behind this operator: put a space before the backslash',
    );
  }
  reader.isPlain = false;
  return true;
}
