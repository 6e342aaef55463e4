/** A part of one word of a command line: fixed text, or the place of a value. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'secret'; readonly name: string };

/**
 * One word of a command line. `afterDashes`: a `--` stands before the word, so a leading dash does not make it an option.
 */
export interface Word {
  readonly pieces: readonly Piece[];
  readonly afterDashes: boolean;
}

/**
 * A compiled command line (decision 6, two modes of a command).
 *
 * `argv`: no shell. Each word becomes exactly one argument, or none if it is only an absent optional argument. `shell`:
 * `text` runs as `/bin/sh -c text` and never contains a value, because placeholders become expansions of `SVC_ARG_*` and
 * `SVC_SECRET_*`. `words` then lists the words with a placeholder, for the rule about leading dashes (decision 8, leading
 * dash and sizes of values).
 */
export type Program =
  | { readonly mode: 'argv'; readonly words: readonly Word[]; readonly secrets: readonly string[] }
  | {
      readonly mode: 'shell';
      readonly text: string;
      readonly words: readonly Word[];
      readonly secrets: readonly string[];
    };

/** Why a command line is refused. `offset` and `length` are in UTF-16 code units of the command text. */
export interface CommandProblem {
  readonly offset: number;
  readonly length: number;
  /** One sentence with the refused part, the reason and the fix. */
  readonly message: string;
}
