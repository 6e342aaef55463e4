import { argumentVariable } from '../argument-name.ts';
import type { ArgumentType, DeclaredArgument } from '../definition.ts';
import type { CommandProblem } from '../program.ts';
import { LEVELS, NEEDED_LEVEL } from './receivers/level.ts';
import type { Receivers, TravelPlace, ValueReceivers } from './receivers/receive.ts';
import { SECRET } from './receivers/uses.ts';

/**
 * The type of every argument: the declared one; else `text` where every receiver is known to take it as data, otherwise `word`
 * (decision 57, values by type).
 */
export function inferTypes(
  args: readonly DeclaredArgument[],
  { received }: Receivers,
): ReadonlyMap<string, ArgumentType> {
  return new Map(
    args.map(({ name, type }) => {
      const isData = received.every(
        ({ use, place }) => place.level === LEVELS.data || !use.carries.has(name),
      );
      return [name, type ?? (isData ? 'text' : 'word')];
    }),
  );
}

/** The places that cannot take the type of a value, at most one problem for each use. */
export function typeProblems(
  { received }: Receivers,
  types: ReadonlyMap<string, ArgumentType>,
): readonly CommandProblem[] {
  return received.flatMap((one) => {
    const { use, place } = one;
    const carried = [...use.carries].map((name) =>
      name === SECRET ? 'secret' : (types.get(name) ?? 'word'),
    );
    const wide = carried.find((type) => NEEDED_LEVEL[type] > place.level);
    if (wide === undefined) return [];
    return { offset: use.start, length: use.end - use.start, message: problemMessage(one, wide) };
  });
}

function problemMessage({ use, place }: ValueReceivers, type: ArgumentType | 'secret'): string {
  const fix = place.fix.replaceAll('SVC_ARG_X', use.variable);
  const { shown } = use;
  const { level, program } = place;
  if (level === LEVELS.never) return `${shown} would choose what runs (${program}): ${fix}`;
  if (level === LEVELS.none)
    return `${shown} would become part of a program that ${program} runs: ${fix}; "type: code" allows it`;
  if (level === LEVELS.closed) return `${program} could evaluate ${shown}, or take it for an option: ${fix}`;
  const narrow = level === LEVELS.path ? '"type: word" or "type: path"' : '"type: word"';
  return `${program} reads ${shown} again, so ${type === 'secret' ? 'a secret' : `"type: ${type}"`} cannot stand there: declare ${narrow}, or ${fix}`;
}

/** How one value of a call gets to what receives it, for `svc validate --explain`. */
export interface Travel {
  readonly argument: string;
  readonly place: TravelPlace;
  /**
   * The receiver takes the value as data: it is in the table of such programs, the owner's own program, or the environment.
   */
  readonly known: boolean;
}

/**
 * How each value travels. Every argument is in the environment too; the text mentions this where nothing else receives the
 * argument.
 */
export function travelOf(args: readonly DeclaredArgument[], { received }: Receivers): readonly Travel[] {
  return args.flatMap(({ name: argument }): Travel[] => {
    const places = received.filter(({ use }) => use.carries.has(argument));
    const variable = argumentVariable(argument);
    if (places.length === 0) return [{ argument, place: { kind: 'environment', variable }, known: true }];
    return places.map(({ travel, place }) => {
      return { argument, place: travel, known: place.level === LEVELS.data };
    });
  });
}
