import type { ArgumentType } from '../../definition.ts';

/**
 * What a place in a command can take, from the strictest to the widest (decision 57):
 *
 * - `none`: program text. Only `code` may stand there.
 * - `closed`: shells evaluate it. Only numbers, booleans and the owner's own choices may stand there.
 * - `remote`: another shell splits it. A plain word stays one word there; a secret does not.
 * - `word`: a program may read options, addresses or file names into it.
 * - `path`: the same, for a program to which an absolute path is only a file.
 * - `any`: one argument or one variable, whatever its text is.
 */
export const LEVELS = { none: 0, closed: 1, remote: 2, word: 3, path: 4, any: 5 } as const;
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
  url: LEVELS.any,
  ref: LEVELS.any,
  text: LEVELS.any,
};
