import type { Walk } from '../walk.ts';

/** A set of option names, dashes included. */
export type Options = ReadonlySet<string>;

/** Says how the program gets at the value instead: `read $ENV{SVC_ARG_X} in the script`. */
export type Fix = (variable: string) => string;

/**
 * How a command reads its words. An option that is in none of the lists makes everything after it uncertain, and what is
 * uncertain is refused: so a list that lacks an option refuses too much, never too little.
 */
export interface Grammar {
  readonly kind: 'grammar';
  /** Options without a value. */
  readonly flags: Options;
  /** Options whose value is mere data. */
  readonly data: Options;
  /** Options followed by two words of data. */
  readonly pairs: Options;
  /** Options that set a variable of the environment: `NAME=value`. */
  readonly sets: Options;
  /** Options whose value chooses what runs. */
  readonly code: Options;
  /** Options whose value is the program itself, instead of the first operand. */
  readonly program: Options;
  /** `+x` is an option, too. */
  readonly plus: boolean;
  /** A `-` alone ends the options, as `--` does: it is no operand. */
  readonly dashEnds: boolean;
  /** How many operands come before what `rest` says; each must be there, whatever the values. */
  readonly operands: number;
  /** The operands choose what runs unless they begin with fixed text: images, as in `app:{{tag}}`. */
  readonly operandsAreNamed: boolean;
  /** Options may stand behind those operands. */
  readonly permutes: boolean;
  /** `NAME=value` may stand before what `rest` says. */
  readonly assigns: boolean;
  /** The first `--` is taken away and what follows it is handed on to another program. */
  readonly forwards: boolean;
  /**
   * What the rest is: a command; a program's text or file and then its arguments; nothing but code; mere arguments; or a
   * subcommand with a rule of its own.
   */
  readonly rest: 'command' | 'program' | 'code' | 'arguments' | Subcommands;
  /** After `program`: the arguments of a program given by option are code to it as well. */
  readonly argumentsAreCode: boolean;
  /**
   * It reads commands from its input when what `rest` says is missing; `always`: also beside it, unless a program is given
   * by option; `named`: also when the rest names a command of the catalogue (`ssh HOST sh`).
   */
  readonly readsInput: boolean | 'always' | 'named';
  readonly fix: Fix;
}

export interface Subcommands {
  readonly named: ReadonlyMap<string, Rule>;
  readonly otherwise: Rule;
}

export type Rule =
  | Grammar
  /** Every word is parsed again, or chooses what runs. */
  | { readonly kind: 'code'; readonly readsInput: boolean; readonly fix: Fix }
  /** All words are data but the values of these options, wherever they stand. */
  | {
      readonly kind: 'options';
      readonly code: Options;
      /** The first word may be options without a dash: `tar cIf PROGRAM FILE`. */
      readonly bundles: boolean;
      readonly readsInput: boolean;
      readonly fix: Fix;
    }
  | { readonly kind: 'special'; readonly walk: (walk: Walk, at: number) => void };

/** A command whose words are its own business. */
export const ORDINARY: Rule = { kind: 'special', walk: () => undefined };

/** Lists of a grammar as they are written in the tables: names with spaces between them. */
type Written = { readonly [Key in 'flags' | 'data' | 'pairs' | 'sets' | 'code' | 'program']?: string };

const readEnvironment: Fix = (variable) => `read the environment variable ${variable} in a script instead`;

/** A grammar from its written form; what is left out is empty. */
export function grammar(written: Written & Partial<Omit<Grammar, 'kind' | keyof Written>>): Grammar {
  return {
    plus: false,
    dashEnds: false,
    operands: 0,
    operandsAreNamed: false,
    permutes: false,
    assigns: false,
    forwards: false,
    rest: 'arguments',
    argumentsAreCode: false,
    readsInput: false,
    fix: readEnvironment,
    ...written,
    kind: 'grammar',
    flags: options(written.flags),
    data: options(written.data),
    pairs: options(written.pairs),
    sets: options(written.sets),
    code: options(written.code),
    program: options(written.program),
  };
}

/** A command whose every word is code. */
export function allCode(fix: Fix = readEnvironment, readsInput = false): Rule {
  return { kind: 'code', readsInput, fix };
}

/** A command with some options whose values are code. */
export function codeOptions(names: string, readsInput = false): Rule & { kind: 'options' } {
  return { kind: 'options', code: options(names), bundles: false, readsInput, fix: readEnvironment };
}

/** The same rule for several names. */
export function named(names: string, rule: Rule): [string, Rule][] {
  return names.split(' ').map((name) => [name, rule]);
}

function options(names = ''): Options {
  return new Set(names.split(' ').filter((name) => name !== ''));
}
