/** A part of one word of a command line: text that stands as written, or the place of a value. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'secret'; readonly name: string };

/** One word of a command line. `afterDashes`: a `--` stands before it, so a leading dash cannot be an option. */
export interface Word {
  readonly pieces: readonly Piece[];
  readonly afterDashes: boolean;
}

/**
 * A command line that was lexed once (decision 6).
 *
 * `argv`: no shell; each word becomes exactly one argument (or none, when it is only an absent optional argument).
 * `shell`: `text` runs as `/bin/sh -c text` and never holds a value: placeholders are expansions of `SVC_ARG_*` and
 * `SVC_SECRET_*`. `words` then lists the words that hold a placeholder, for the leading-dash rule (decision 8).
 */
export type Program =
  | { readonly mode: 'argv'; readonly words: readonly Word[]; readonly secrets: readonly string[] }
  | {
      readonly mode: 'shell';
      readonly text: string;
      readonly words: readonly Word[];
      readonly secrets: readonly string[];
    };

/** Why a command line is refused; `offset` and `length` are in UTF-16 code units of the command text. */
export interface CommandProblem {
  readonly offset: number;
  readonly length: number;
  /** One sentence: what stands there, why it is refused, and the fix. */
  readonly message: string;
}
