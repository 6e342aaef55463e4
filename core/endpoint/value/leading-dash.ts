import type { Argument } from '../definition.ts';
import type { Piece, Program } from '../program.ts';
import type { ArgumentProblem } from './argument-problem.ts';
import { listItems } from './list.ts';
import type { ResolvedValues } from './resolve-values.ts';

/**
 * Finds values that would become options (decision 8, leading dash and sizes of values): the first byte of a word comes
 * from the value and is `-`, no `--` stands before the word, and the argument lacks `allow_dash`.
 *
 * A secret at the beginning of a word is its owner's choice and never refused. If it is empty, the next piece is checked.
 */
export function dashProblems(
  program: Program,
  args: readonly Argument[],
  values: ResolvedValues,
  secrets: Readonly<Record<string, string>> = {},
): ArgumentProblem[] {
  const allowed = new Set(args.filter((argument) => argument.allowDash).map((argument) => argument.name));
  const lists = new Set(args.filter(({ type }) => type === 'list').map(({ name }) => name));
  const names = new Set<string>();
  for (const word of program.words) {
    const first = word.afterDashes ? undefined : firstPiece(word.pieces, values, secrets);
    if (first?.kind !== 'argument' || allowed.has(first.name)) continue;
    const value = values.get(first.name) ?? '';
    const texts = lists.has(first.name) ? listItems(value) : [value];
    if (texts.some((text) => text.startsWith('-'))) names.add(first.name);
  }
  return [...names].map((argument) => ({ argument, message: DASH_MESSAGE }));
}

const DASH_MESSAGE =
  'the value begins with "-", which the command could take for an option; ' +
  'the endpoint can allow it with "allow_dash: true" or a "--" before it';

/** The problems that the defaults alone would cause in every call, for the check of a definition. */
export function defaultDashProblems(program: Program, args: readonly Argument[]): ArgumentProblem[] {
  const defaults = new Map<string, string>();
  for (const argument of args) {
    if (argument.default !== undefined) defaults.set(argument.name, argument.default);
  }
  return dashProblems(program, args, defaults);
}

/** The piece that provides the first byte of the word. */
function firstPiece(
  pieces: readonly Piece[],
  values: ResolvedValues,
  secrets: Readonly<Record<string, string>>,
): Piece | undefined {
  return pieces.find((piece) => {
    if (piece.kind === 'text') return piece.text !== '';
    if (piece.kind === 'argument') return (values.get(piece.name) ?? '') !== '';
    return secrets[piece.name] !== '';
  });
}
