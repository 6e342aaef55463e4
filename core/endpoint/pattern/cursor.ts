/** A place in a pattern's text; the functions that read the text move it. */
export interface Cursor {
  readonly text: string;
  at: number;
}

/** Thrown while a pattern is read; `parsePattern` turns it into a problem. */
export class NotAPattern extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

export function peekChar(cursor: Cursor): string {
  return cursor.text.charAt(cursor.at);
}

/** Moves past the given text if it stands here. */
export function takeChar(cursor: Cursor, expected: string): boolean {
  if (!cursor.text.startsWith(expected, cursor.at)) return false;
  cursor.at += expected.length;
  return true;
}

/** Moves past what a sticky expression matches here. */
export function takeMatch(cursor: Cursor, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = cursor.at;
  const match = sticky.exec(cursor.text);
  if (match === null) return undefined;
  cursor.at += match[0].length;
  return match;
}

/** Moves past one code point. */
export function takeCodePoint(cursor: Cursor): number {
  const codePoint = cursor.text.codePointAt(cursor.at);
  if (codePoint === undefined) throw new NotAPattern(cursor.at, 'the pattern ends too early');
  cursor.at += codePoint > 0xffff ? 2 : 1;
  return codePoint;
}
