import type { Piece } from '../program.ts';

/** A part of the command's text: from `start` up to, not including, `end`, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function isWithin(inner: Span, outer: Span): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

export type Quote = 'bare' | 'double' | 'single';

/** One place of a value in the text. */
export interface ValueUse extends Span {
  readonly kind: 'argument' | 'secret';
  readonly name: string;
  readonly quote: Quote;
}

/** A part of a word; an expansion (`$x`, `$(…)`) has a text that is known only when the command runs. */
export type WordPart = Piece | Expansion;

export interface Expansion extends Span {
  readonly kind: 'expansion';
  readonly quoted: boolean;
}

export interface ShellWord extends Span {
  /** Quotes and backslashes are resolved. Quotes leave a text part, if only an empty one: `"{{x}}"` has two parts. */
  readonly parts: readonly WordPart[];
  /** A shell would make something else of it than its text: an expansion, a pattern, `~` or `{a,b}`. */
  readonly needsShell: boolean;
  /** It can become several words or none: a pattern, braces, or an expansion outside quotes. */
  readonly canMultiply: boolean;
}

/** A word that holds a value. `canVanish`: where it stands, an argument that is absent takes its word along (decision 6). */
export interface HeldWord {
  readonly word: ShellWord;
  readonly canVanish: boolean;
}

/** `name=…` before a command, or alone. */
export interface Assignment {
  readonly name: string;
  readonly word: ShellWord;
}

export interface SimpleCommand extends Span {
  readonly assignments: readonly Assignment[];
  readonly words: readonly ShellWord[];
}

/** A variable that is read; `evaluated`: inside arithmetic, where shells run what its value contains. */
export interface Reference extends Span {
  readonly name: string;
  readonly evaluated: boolean;
}

/** A variable that is set to something that comes from this part of the text: `x=…`, `for x in …`, `${x:=…}`. */
export interface Setting extends Span {
  readonly name: string;
}

/** What is made in `source` becomes the input of what stands in `consumer`: a pipe, `<`, a here-document. */
export interface Flow {
  readonly source: Span;
  readonly consumer: Span;
}

/** The places where values are refused whatever the words around them (decision 7). */
export type RefusedPlace =
  | 'substitution'
  | 'backquotes'
  | 'arithmetic'
  | 'conditional'
  | 'here-document'
  | 'delimiter'
  | 'parameter'
  | 'backslash'
  | 'dollar';

export interface RefusedUse {
  readonly use: ValueUse;
  readonly place: RefusedPlace;
}

/** What the reader found in a command's text. Lists are in the order of the text, nested commands after what they are in. */
export interface Script {
  readonly commands: readonly SimpleCommand[];
  readonly values: readonly ValueUse[];
  readonly refused: readonly RefusedUse[];
  readonly held: readonly HeldWord[];
  readonly references: readonly Reference[];
  readonly settings: readonly Setting[];
  readonly flows: readonly Flow[];
  /** The words behind `>&` and `<&`. */
  readonly descriptors: readonly Span[];
  readonly functions: ReadonlySet<string>;
  /** Nothing but words: no operator, comment, assignment, redirection or compound command. */
  readonly isPlain: boolean;
}
