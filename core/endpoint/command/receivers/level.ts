import type { ArgumentType } from '../../definition.ts';

/**
 * What a place in a command can take, from the strictest to the widest (decision 57, values by type):
 *
 * - `never`: what stands there chooses what runs. No type may.
 * - `none`: program text. Only `code` may stand there.
 * - `closed`: a shell evaluates it, or it spells an option. Only numbers, booleans and the owner's own choices may stand there.
 * - `remote`: another shell splits it. A plain word stays one word there; a secret does not.
 * - `word`: a program may read options, addresses or file names into it.
 * - `path`: the same, for a program to which an absolute path is only a file.
 * - `any`: one argument or one variable of a program of which nothing is known.
 * - `data`: the same, for a program that is known to take any text as data.
 */
export const LEVELS = { never: 0, none: 1, closed: 2, remote: 3, word: 4, path: 5, any: 6, data: 7 } as const;
export type Level = (typeof LEVELS)[keyof typeof LEVELS];

/** The level that a place needs for values of a type. A managed secret counts as `secret`. */
export const NEEDED_LEVEL: Readonly<Record<ArgumentType | 'secret', Level>> = {
  code: LEVELS.none,
  integer: LEVELS.closed,
  number: LEVELS.closed,
  boolean: LEVELS.closed,
  enum: LEVELS.closed,
  word: LEVELS.remote,
  secret: LEVELS.word,
  path: LEVELS.path,
  // The absolute path of a file that the agent has written.
  file: LEVELS.path,
  url: LEVELS.any,
  ref: LEVELS.any,
  text: LEVELS.any,
  // As text in a variable. The items of a list have the level of their own type (`placedTypes`).
  list: LEVELS.any,
  json: LEVELS.any,
};
