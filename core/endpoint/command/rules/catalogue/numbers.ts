import type { WordPart } from '../../shell/script.ts';
import { isHarmless } from '../command-argument.ts';
import { markRefused, type Reason, type Walk } from '../walk.ts';

/** A word that ksh and zsh evaluate as arithmetic, which runs what it contains: only a number may stand there. */
export function markNumber(walk: Walk, at: number): void {
  if (walk.words[at]?.parts.some((part) => mayHoldCode(walk, part))) markRefused(walk, whyNumber, at, at + 1);
}

/** `exit {{n}}`: each word is a number. */
export function walkNumbers(walk: Walk, at: number): void {
  for (let i = at + 1; i < walk.words.length; i++) markNumber(walk, i);
}

function mayHoldCode(walk: Walk, part: WordPart): boolean {
  if (part.kind !== 'argument') return part.kind !== 'text';
  const argument = walk.argument(part.name);
  return argument === undefined || !isHarmless(argument);
}

const whyNumber: Reason = (use) =>
  `some shells evaluate ${use.shown} here, which runs what its value contains: declare the argument as "type: integer"`;
