import { argumentVariable } from '../../argument-name.ts';
import { secretVariable } from '../../secret-name.ts';
import type { CommandArgument } from '../command-argument.ts';
import { isWithin, type Reference, type Script, type Span } from '../shell/script.ts';
import { literalText } from './words.ts';

/** Names that stand for a managed secret rather than for an argument, in a list of what a use carries. */
export const SECRET = '$svc';

/** A place in the text where a value arrives: a placeholder, or a `$variable` that holds one. */
export interface Use extends Span {
  /** As it stands in the text, for messages. */
  readonly shown: string;
  /** The environment variable that a script can read instead. */
  readonly variable: string;
  /** The arguments whose values may arrive, and `SECRET` for a managed secret. */
  readonly carries: ReadonlySet<string>;
  /** A shell evaluates the variable as arithmetic. */
  readonly evaluated: boolean;
}

/** Every use in the script. Variables that the script sets from a value carry it, wherever the script sets them. */
export function findUses(script: Script, text: string, args: readonly CommandArgument[]): readonly Use[] {
  const placeholders = script.values.map(
    ({ kind, name, start, end }): Use => ({
      start,
      end,
      shown: text.slice(start, end),
      variable: kind === 'argument' ? argumentVariable(name) : secretVariable(name),
      carries: new Set([kind === 'argument' ? name : SECRET]),
      evaluated: false,
    }),
  );
  const carriers = carriersOf(script, placeholders, args);
  const references = [...script.references, ...printedNames(script)].flatMap((reference): Use[] => {
    const carries = carriersOfName(reference.name, carriers);
    if (carries === undefined) return [];
    const { start, end, evaluated } = reference;
    const variable = reference.name.startsWith('SVC_') ? reference.name : 'SVC_ARG_…';
    return [{ start, end, evaluated, carries, variable, shown: text.slice(start, end) }];
  });
  return [...placeholders, ...references];
}

/** `printenv NAME` prints what the variable holds. */
function printedNames({ commands }: Script): readonly Reference[] {
  return commands
    .filter(({ words }) => words.some((word) => literalText(word) === 'printenv'))
    .flatMap(({ words }) => words)
    .map((word) => ({ name: literalText(word) ?? '', start: word.start, end: word.end, evaluated: false }));
}

type Carriers = Map<string, ReadonlySet<string>>;

function carriersOfName(name: string, carriers: Carriers): ReadonlySet<string> | undefined {
  return carriers.get(name) ?? (name.startsWith('SVC_SECRET_') ? new Set([SECRET]) : undefined);
}

/** Loops run backwards too, so the settings are gone through until no variable gains anything. */
function carriersOf(
  script: Script,
  placeholders: readonly Use[],
  args: readonly CommandArgument[],
): Carriers {
  const carriers: Carriers = new Map(args.map(({ name }) => [argumentVariable(name), new Set([name])]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const setting of script.settings) {
      const gained = [
        ...placeholders.filter((use) => isWithin(use, setting)).flatMap(({ carries }) => [...carries]),
        ...script.references
          .filter((reference) => isWithin(reference, setting))
          .flatMap(({ name }) => [...(carriersOfName(name, carriers) ?? [])]),
      ];
      const known = carriers.get(setting.name);
      if (gained.every((name) => known?.has(name))) continue;
      carriers.set(setting.name, new Set([...(known ?? []), ...gained]));
      changed = true;
    }
  }
  return carriers;
}
