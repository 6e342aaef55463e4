/** Thrown for a text that is no pattern; `offset` is in UTF-16 code units of the text. */
export class NotAPattern extends Error {
  readonly offset: number;

  constructor(offset: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.offset = offset;
  }
}

/** The ends of lines and the white space of ECMAScript, as members of a class of RE2, which has fewer of both. */
const LINE_ENDS = '\\n\\r\\x{2028}\\x{2029}';
const SPACES =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
/** The complement is written out: RE2 has no negated set inside a class. */
const NO_SPACES =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** One piece of a pattern whose syntax is known to be right. A class with its brackets is one piece. */
const TOKEN =
  /\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|u\{[\dA-Fa-f]+\}|[pP]\{[^}]*\}|[\s\S])|\[(?:\\[\s\S]|[^\\\]])*\]|\(\?(?:<[A-Za-z_]\w*>|[^)]?[<=!]?)|[\s\S]/gu;
/** One piece between the brackets of a class. */
const MEMBER = /\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|u\{[\dA-Fa-f]+\}|[pP]\{[^}]*\}|[\s\S])|[\s\S]/gu;

/**
 * A regular expression of ECMAScript (`u`) in the syntax of RE2, with the same meaning.
 *
 * The runtime's own compiler checks the syntax, so each piece can be rewritten by itself. Throws `NotAPattern`, with the place
 * for what takes more than linear time.
 */
export function linearSyntax(text: string): string {
  checkSyntax(text);
  return text.replace(TOKEN, (token, offset: number) => {
    if (token.startsWith('[')) return rewrittenClass(token, offset);
    if (token.startsWith('(?')) checkGroup(token, offset);
    return rewritten(token, offset, false);
  });
}

function rewrittenClass(text: string, offset: number): string {
  if (text === '[]') return '[^\\x{0}-\\x{10ffff}]';
  if (text === '[^]') return '[\\x{0}-\\x{10ffff}]';
  const opening = text.startsWith('[^') ? '[^' : '[';
  const from = offset + opening.length;
  const members = text.slice(opening.length, -1).replace(MEMBER, (member, at: number) =>
    // RE2 would read a class of POSIX, such as [:alpha:].
    member === '[' ? '\\[' : rewritten(member, from + at, true),
  );
  return `${opening}${members}]`;
}

/** The messages of engines, in one wording. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/missing \)|unterminated group/i, 'this ( is never closed'],
  [/terminating \]|unterminated character class/i, 'this [ is never closed'],
  [/unmatched/i, 'this ) closes nothing: \\) is the character'],
  [/nothing to repeat/i, 'nothing stands in front of this repetition: a backslash makes it a character'],
];

function checkSyntax(text: string): void {
  const reason = syntaxError(text);
  if (reason === undefined) return;
  const [, message] = REASONS.find(([words]) => words.test(reason)) ?? [];
  throw new NotAPattern(longestPattern(text), message ?? `this is no regular expression: ${reason}`);
}

function syntaxError(text: string): string | undefined {
  try {
    new RegExp(text, 'u');
    return undefined;
  } catch (error) {
    return /[^:]+$/.exec((error as Error).message)?.[0].trim();
  }
}

/** How much of a text is a pattern. The part that is wrong begins there: engines do not say where. */
function longestPattern(text: string): number {
  let length = text.length - 1;
  while (syntaxError(text.slice(0, length)) !== undefined) length -= 1;
  return length;
}

function checkGroup(token: string, offset: number): void {
  if (token.startsWith('(?:') || /^\(\?<\w+>$/.test(token)) return;
  throw new NotAPattern(offset, 'only ( ), (?: ) and (?<name> ) are supported: no look-around, no flags');
}

function rewritten(token: string, offset: number, inClass: boolean): string {
  if (token === '.' && !inClass) return `[^${LINE_ENDS}]`;
  if (token.length < 2 || !token.startsWith('\\')) return token;
  const [, kind = ''] = token;
  if (kind === 's' || kind === 'S') {
    const members = kind === 's' ? SPACES : NO_SPACES;
    return inClass ? members : `[${members}]`;
  }
  if ('xu'.includes(kind)) return `\\x{${codePoint(token, offset)}}`;
  if ('pP'.includes(kind)) return token.replace(/\{(?:Script|sc|General_Category|gc)=/, '{');
  if (/[1-9k]/.test(kind))
    throw new NotAPattern(
      offset,
      'back-references cannot be matched in linear time: write the repeated part out',
    );
  if (/[0c]/.test(kind) || (inClass && kind === 'b'))
    throw new NotAPattern(offset, `${token} is not supported: write the character as \\x and two digits`);
  return token;
}

function codePoint(token: string, offset: number): string {
  const digits = token.replace(/[^\dA-Fa-f]/g, '');
  const value = Number.parseInt(digits, 16);
  if (value < 0xd800 || value > 0xdfff) return digits;
  const message = 'half of a surrogate pair is no character: write \\u{1f600} for one beyond ffff';
  throw new NotAPattern(offset, message);
}
