import { canBeAbsent } from '../../value/resolve-values.ts';
import type { ShellWord } from '../shell/script.ts';
import type { CommandArgument } from './command-argument.ts';
import type { HostileUse } from './hostile-use.ts';

/** What a word is to the command that gets it. `owner`: the index of that command's own word. */
export type Role =
  | { readonly kind: 'data'; readonly owner: number }
  | { readonly kind: 'refused'; readonly reason: Reason };

/** Why a value may not stand in a word, and what to do instead. */
export type Reason = (use: HostileUse) => string;

/** One simple command while its words get their roles. */
export interface Walk {
  readonly words: readonly ShellWord[];
  /** One for each word; a word without values may keep any role. */
  readonly roles: Role[];
  /** The commands on the way, wrappers first: `sudo`, `xargs`, `sh`. Undefined: known only at run time. */
  readonly chain: (string | undefined)[];
  /** What comes on its standard input is run. */
  readsInput: boolean;
  readonly isHostile: (word: ShellWord) => boolean;
  readonly argument: (name: string) => CommandArgument | undefined;
  /** Gives roles to the command that begins at this word; rules call it for the command behind a wrapper. */
  readonly walkCommand: (walk: Walk, at: number) => void;
}

/** Makes the words from `from` up to `to` data of the command at `owner`. */
export function markData(walk: Walk, owner: number, from: number, to = walk.words.length): void {
  for (let i = from; i < to; i++) walk.roles[i] = { kind: 'data', owner };
}

/** Refuses values in the words from `from` up to `to`. */
export function markRefused(walk: Walk, reason: Reason, from: number, to = walk.words.length): void {
  for (let i = from; i < to; i++) walk.roles[i] = { kind: 'refused', reason };
}

/**
 * A word whose place matters: it is data, but were it absent or an option, the words behind it would become something
 * else. So it may neither disappear nor begin with a dash.
 */
export function markSlot(walk: Walk, owner: number, at: number, dashIsValue = false): void {
  const word = walk.words[at];
  if (word === undefined) return;
  if (vanishes(walk, word)) markRefused(walk, whyVanishing, at, at + 1);
  else if (!dashIsValue && mayBeginWithDash(walk, word)) markRefused(walk, whyDash, at, at + 1);
  else markData(walk, owner, at, at + 1);
}

/** Whether the word begins with an argument that may begin with a dash. */
export function mayBeginWithDash(walk: Walk, word: ShellWord): boolean {
  return leadingArgument(walk, word)?.allowDash === true;
}

function vanishes(walk: Walk, word: ShellWord): boolean {
  const argument = word.parts.length === 1 ? leadingArgument(walk, word) : undefined;
  return argument !== undefined && canBeAbsent(argument);
}

function leadingArgument(walk: Walk, word: ShellWord): CommandArgument | undefined {
  const [first] = word.parts;
  return first?.kind === 'argument' ? walk.argument(first.name) : undefined;
}

const whyVanishing: Reason = (use) =>
  `without a value, ${use.shown} would disappear and the words behind it would change places: make the argument required or give it a default`;

/** Why a word may not begin with an argument that says `allow_dash`. */
export const whyDash: Reason = (use) =>
  `${use.shown} may begin with a dash ("allow_dash") and become an option here: remove "allow_dash", or write -- before it`;
