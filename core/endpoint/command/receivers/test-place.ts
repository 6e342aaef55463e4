import type { ShellWord } from '../shell/script.ts';
import { LEVELS, type Level } from './level.ts';
import { literalText } from './words.ts';

const UNARY = /^-[bcdefghkLnOGNprsSuwxz]$/;
const BINARY = /^(?:==?|!=|-nt|-ot|-ef)$/;
const NUMERIC = /^-(?:eq|ne|gt|ge|lt|le)$/;
const FIX = 'use the value in [ VALUE ], [ -f VALUE ] or [ VALUE = VALUE ], and join tests with && and ||';

/**
 * `test` and `[` decide by the number of words and by their text (POSIX). So a value may stand only where no value changes
 * the reading: `V`, `-f V`, `V = V`, each perhaps behind `!`. Some shells evaluate the operands of `-eq`.
 */
export function testPlace(
  words: readonly ShellWord[],
  at: number,
  name: 'test' | '[',
): { level: Level; known: boolean; fix: string } {
  const closed = name === '[' && literalText(words.at(-1)) === ']' ? words.slice(0, -1) : words;
  const isNegated = literalText(closed[0]) === '!';
  const rest = isNegated ? closed.slice(1) : closed;
  const place = at - (isNegated ? 1 : 0);
  const text = (index: number) => literalText(rest[index]) ?? '';
  if (rest.some((word) => word.canMultiply)) return { level: LEVELS.none, known: false, fix: FIX };
  if (rest.length === 3 && NUMERIC.test(text(1)) && place !== 1)
    return { level: LEVELS.closed, known: false, fix: 'declare "type: integer"' };
  const isData =
    (rest.length === 1 && place === 0) ||
    (rest.length === 2 && UNARY.test(text(0)) && place === 1) ||
    (rest.length === 3 && BINARY.test(text(1)) && place !== 1);
  return isData
    ? { level: LEVELS.any, known: true, fix: FIX }
    : { level: LEVELS.none, known: false, fix: FIX };
}
