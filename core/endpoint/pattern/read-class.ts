import type { CharRange, CharSet } from './char-set.ts';
import { type Cursor, NotAPattern, takeChar, takeCodePoint } from './cursor.ts';
import { readEscape } from './read-escape.ts';

/** Reads a character class; the cursor stands after its `[`. */
export function readClass(cursor: Cursor): CharSet {
  const start = cursor.at - 1;
  const negated = takeChar(cursor, '^');
  const ranges: CharRange[] = [];
  const sets: CharSet[] = [];
  while (!takeChar(cursor, ']')) {
    if (cursor.at >= cursor.text.length) throw new NotAPattern(start, 'this [ is never closed');
    const from = cursor.at;
    const first = readMember(cursor);
    const last = startsRange(cursor) ? readRangeEnd(cursor) : first;
    if (typeof first === 'number' && typeof last === 'number') {
      if (last < first)
        throw new NotAPattern(from, 'the range runs backwards: the smaller character comes first');
      ranges.push([first, last]);
    } else if (first === last && typeof first !== 'number') {
      sets.push(first);
    } else {
      throw new NotAPattern(from, 'a set cannot begin or end a range: write the - last in the class');
    }
  }
  return { negated, ranges, sets, properties: [] };
}

function startsRange(cursor: Cursor): boolean {
  return cursor.text.charAt(cursor.at) === '-' && cursor.text.charAt(cursor.at + 1) !== ']';
}

function readRangeEnd(cursor: Cursor): number | CharSet {
  cursor.at += 1;
  return readMember(cursor);
}

function readMember(cursor: Cursor): number | CharSet {
  return takeChar(cursor, '\\') ? readEscape(cursor, true) : takeCodePoint(cursor);
}
