import type { ShellWord } from '../../shell/script.ts';
import { literalText } from '../literal.ts';
import { markRefused, markSlot, type Reason, type Walk } from '../walk.ts';
import { markNumber } from './numbers.ts';

const UNARY = new Set('bcdefghkLnOGNprsStuwxz'.split('').map((letter) => `-${letter}`));
const BINARY = new Set(['=', '==', '!=', '-nt', '-ot', '-ef', '<', '>']);
const NUMERIC = new Set(['-eq', '-ne', '-gt', '-ge', '-lt', '-le']);

/**
 * `test` and `[` decide by the number of words and by what the words look like (POSIX). So a value may stand only in a
 * form in which no value changes the reading: `V`, `-f V`, `V = V`, each perhaps behind `!`. `-v` would evaluate it in bash.
 */
export function walkTest(walk: Walk, at: number): void {
  const words = operands(walk, at);
  const start = words[0] !== undefined && literalText(words[0]) === '!' ? 1 : 0;
  const first = at + 1 + start;
  const rest = words.slice(start);
  for (let i = first; i < walk.words.length; i++) markSlot(walk, at, i, true);
  if (rest.length === 1) return;
  if (rest.length === 2 && has(UNARY, rest[0])) return;
  if (rest.length === 3 && has(NUMERIC, rest[1])) {
    markNumber(walk, first);
    markNumber(walk, first + 2);
    return;
  }
  if (rest.length === 3 && has(BINARY, rest[1])) return;
  markRefused(walk, whyForm, at + 1);
}

function operands(walk: Walk, at: number): readonly ShellWord[] {
  const words = walk.words.slice(at + 1);
  const last = words.at(-1);
  const isClosed = walk.chain.at(-1) === '[' && last !== undefined && literalText(last) === ']';
  return isClosed ? words.slice(0, -1) : words;
}

function has(operators: ReadonlySet<string>, word: ShellWord | undefined): boolean {
  const text = literalText(word);
  return text !== undefined && operators.has(text);
}

const whyForm: Reason = (use) =>
  `a value can change how this test is read: use ${use.shown} in [ VALUE ], [ -f VALUE ] or [ VALUE = VALUE ], and join tests with && and ||`;
