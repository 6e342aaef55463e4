import { argumentVariable } from '../argument-name.ts';
import type { ArgumentType } from '../definition.ts';
import type { CommandProblem } from '../program.ts';
import type { CommandArgument } from './command-argument.ts';
import { LEVELS, NEEDED_LEVEL } from './receivers/level.ts';
import type { Received, Receivers } from './receivers/receive.ts';
import { SECRET } from './receivers/uses.ts';
import type { Travel } from './travel.ts';

/**
 * The type of every argument: the declared one; else `text` where every receiver is known to take it as data, and `word`
 * elsewhere (decision 57).
 */
export function inferTypes(
  args: readonly CommandArgument[],
  { received }: Receivers,
): ReadonlyMap<string, ArgumentType> {
  return new Map(
    args.map(({ name, type }) => {
      const places = received.filter(({ use }) => use.carries.has(name)).map(({ place }) => place);
      const isData = places.every(({ level, known }) => known && level === LEVELS.any);
      return [name, type ?? (isData ? 'text' : 'word')];
    }),
  );
}

/** The places that cannot take the type of a value, at most one problem for each use. */
export function typeProblems(
  { received }: Receivers,
  types: ReadonlyMap<string, ArgumentType>,
): readonly CommandProblem[] {
  const byOffset = new Map<number, CommandProblem>();
  for (const one of received) {
    const { use, place } = one;
    if (byOffset.has(use.start)) continue;
    const wide = [...use.carries].find(
      (name) => place.never || NEEDED_LEVEL[typeOf(name, types)] > place.level,
    );
    if (wide === undefined) continue;
    const message = problemMessage(one, typeOf(wide, types));
    byOffset.set(use.start, { offset: use.start, length: use.end - use.start, message });
  }
  return [...byOffset.values()];
}

function typeOf(name: string, types: ReadonlyMap<string, ArgumentType>): ArgumentType | 'secret' {
  return name === SECRET ? 'secret' : (types.get(name) ?? 'word');
}

function problemMessage({ use, place }: Received, type: ArgumentType | 'secret'): string {
  const fix = place.fix.replaceAll('SVC_ARG_X', use.variable);
  const { shown } = use;
  if (place.never) return `${shown} would choose what runs (${place.program}): ${fix}`;
  if (place.level === LEVELS.none)
    return `${shown} would become part of a program that ${place.program} runs: ${fix}; "type: code" allows it`;
  if (place.level === LEVELS.closed) return `${place.program} evaluates ${shown}: ${fix}`;
  const narrow = place.level === LEVELS.path ? '"type: word" or "type: path"' : '"type: word"';
  return `${place.program} reads ${shown} again, so ${type === 'secret' ? 'a secret' : `"type: ${type}"`} cannot stand there: declare ${narrow}, or ${fix}`;
}

/** How each value travels. Every argument is in the environment too; that is said where nothing else receives it. */
export function travelOf(args: readonly CommandArgument[], { received }: Receivers): readonly Travel[] {
  return args.flatMap(({ name }): Travel[] => {
    const places = received.filter(({ use }) => use.carries.has(name));
    if (places.length === 0)
      return [
        { argument: name, place: { kind: 'environment', variable: argumentVariable(name) }, known: true },
      ];
    return places.map(({ travel, place }) => ({ argument: name, place: travel, known: place.known }));
  });
}
