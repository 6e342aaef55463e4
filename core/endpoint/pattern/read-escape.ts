import { type CharSet, NAMED_SETS, rangeSet } from './char-set.ts';
import { type Cursor, NotAPattern, takeCodePoint, takeMatch } from './cursor.ts';

const PUNCTUATION = '^$\\.*+?()[]{}|/';
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);
const HEX = /x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}/y;
const PROPERTY = /([pP])\{([A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?)\}/y;
const REFUSED: readonly [RegExp, string][] = [
  [/[1-9k]/y, 'back-references cannot be matched in linear time: write the repeated part out'],
  [/[bB]/y, 'word borders are not supported: write the characters that may stand there'],
];

/** Reads what follows a backslash: one code point, or the set that a letter names. `\\-` is for classes only. */
export function readEscape(cursor: Cursor, inClass: boolean): number | CharSet {
  const start = cursor.at - 1;
  const hex = takeMatch(cursor, HEX);
  if (hex !== undefined) return hexCodePoint(hex, start);
  const property = takeMatch(cursor, PROPERTY);
  if (property !== undefined) return propertySet(property[0], start);
  for (const [sticky, message] of REFUSED) {
    if (takeMatch(cursor, sticky) !== undefined) throw new NotAPattern(start, message);
  }
  const char = String.fromCodePoint(takeCodePoint(cursor));
  const isPlain = PUNCTUATION.includes(char) || (inClass && char === '-');
  const plain = isPlain ? char.codePointAt(0) : CONTROLS.get(char);
  const known = plain ?? NAMED_SETS.get(char);
  if (known === undefined)
    throw new NotAPattern(start, `\\${char} means nothing here: the character ${char} needs no backslash`);
  return known;
}

function hexCodePoint(match: RegExpExecArray, start: number): number {
  const codePoint = Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '', 16);
  if (codePoint > 0x10ffff) throw new NotAPattern(start, `${match[0]} is beyond the last code point, 10ffff`);
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
    throw new NotAPattern(
      start,
      'half of a surrogate pair is no character: write \\u{1f600} for one beyond ffff',
    );
  }
  return codePoint;
}

/** `\p{…}` is left to the engine below: on a single code point it cannot take long. */
function propertySet(written: string, start: number): CharSet {
  try {
    return { ...rangeSet([]), properties: [new RegExp(`^\\${written}$`, 'u')] };
  } catch {
    throw new NotAPattern(start, `\\${written} is no Unicode property: \\p{L} or \\p{Script=Greek} is meant`);
  }
}
