import type { Piece } from '../../program.ts';

/** A part of the command's text: from `start` up to, not including, `end`, in UTF-16 code units. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export function isWithin(inner: TextSpan, outer: TextSpan): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

/** One placeholder in the text, and the quotes around it. */
export interface ValueUse extends TextSpan {
  readonly kind: 'argument' | 'secret';
  readonly name: string;
  readonly quote: Quote;
}

export type Quote = 'bare' | 'double' | 'single';

/** A part of a word. The text of an expansion (`$x`, `$(…)`) is known only when the command runs. */
export type WordPart = Piece | Expansion;

export interface Expansion extends TextSpan {
  readonly kind: 'expansion';
  readonly quoted: boolean;
}

export interface ShellWord extends TextSpan {
  /** Quotes and backslashes are resolved. Quotes leave a text part, even an empty one: `"{{x}}"` has two parts. */
  readonly parts: readonly WordPart[];
  /** A shell changes the text of this word: it holds an expansion, a pattern, `~` or `{a,b}`. */
  readonly needsShell: boolean;
  /** The word can become several words or none: it holds a pattern, braces, or an unquoted expansion. */
  readonly canMultiply: boolean;
}

export interface SimpleCommand extends TextSpan {
  readonly words: readonly ShellWord[];
}

/** A `$variable` that the text reads. `evaluated`: inside arithmetic, where shells run what the value contains. */
export interface Reference extends TextSpan {
  readonly name: string;
  readonly evaluated: boolean;
}

/** `name=…` or `for name in …`: the word that sets the variable. `forCommand`: for the command behind it alone. */
export interface Setting {
  readonly name: string;
  readonly word: ShellWord;
  readonly forCommand: boolean;
}

/** A file behind `<`, `>` and their relatives, and the command that it belongs to. */
export interface Redirect {
  readonly operator: string;
  readonly target: ShellWord;
  readonly consumer: TextSpan;
}

/** The output of `source` becomes the input of `consumer`: a pipe or `<`. */
export interface Flow {
  readonly source: TextSpan;
  readonly consumer: TextSpan;
}

/** Everything that the reader found in a command's text. */
export interface Script {
  readonly commands: SimpleCommand[];
  readonly values: ValueUse[];
  /**
   * Words that may hold a placeholder. `canVanish`: an absent argument removes the word (decision 6, two modes of a
   * command).
   */
  readonly valueWords: { readonly word: ShellWord; readonly canVanish: boolean }[];
  readonly references: Reference[];
  readonly settings: Setting[];
  readonly flows: Flow[];
  readonly redirects: Redirect[];
}
