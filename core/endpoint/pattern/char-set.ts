/** First and last code point, both included. */
export type CharRange = readonly [first: number, last: number];

/** A set of code points. `properties` are the `\p{…}` in it, each tested on one code point alone. */
export interface CharSet {
  readonly negated: boolean;
  readonly ranges: readonly CharRange[];
  readonly sets: readonly CharSet[];
  readonly properties: readonly RegExp[];
}

/** The set of the given ranges, or everything else when negated. */
export function rangeSet(ranges: readonly CharRange[], negated = false): CharSet {
  return { negated, ranges, sets: [], properties: [] };
}

/** Whether the code point is in the set. */
export function inCharSet(set: CharSet, codePoint: number): boolean {
  return isListed(set, codePoint) !== set.negated;
}

function isListed(set: CharSet, codePoint: number): boolean {
  for (const [first, last] of set.ranges) {
    if (codePoint >= first && codePoint <= last) return true;
  }
  if (set.sets.some((inner) => inCharSet(inner, codePoint))) return true;
  return set.properties.some((property) => property.test(String.fromCodePoint(codePoint)));
}

const DIGITS: readonly CharRange[] = [[0x30, 0x39]];
const WORD: readonly CharRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** ECMAScript's WhiteSpace and LineTerminator. */
const SPACE: readonly CharRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** `.`: everything but the ends of lines, as in ECMAScript. */
export const ANY_BUT_LINE_END = rangeSet(
  [
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ],
  true,
);

/** The sets that one letter after a backslash names. */
export const NAMED_SETS: ReadonlyMap<string, CharSet> = new Map([
  ['d', rangeSet(DIGITS)],
  ['D', rangeSet(DIGITS, true)],
  ['w', rangeSet(WORD)],
  ['W', rangeSet(WORD, true)],
  ['s', rangeSet(SPACE)],
  ['S', rangeSet(SPACE, true)],
]);
