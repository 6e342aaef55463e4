import { argumentVariable } from '../../argument-name.ts';
import type { DeclaredArgument } from '../../definition.ts';
import { secretVariable } from '../../secret-name.ts';
import { isWithin, type Reference, type Script, type ShellWord, type TextSpan } from '../shell/script.ts';
import { literalText, programName, variableSetBy } from './words.ts';

/** Names that stand for a managed secret rather than for an argument, in a list of what a use carries. */
export const SECRET = '$svc';

/** A place in the text where a value arrives: a placeholder, or a `$variable` that holds one. */
export interface Use extends TextSpan {
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
export function findUses(script: Script, text: string, args: readonly DeclaredArgument[]): readonly Use[] {
  const placeholders = script.values.map(({ kind, name, start, end }) => ({
    start,
    end,
    variable: kind === 'argument' ? argumentVariable(name) : secretVariable(name),
    carries: new Set([kind === 'argument' ? name : SECRET]),
    evaluated: false,
  }));
  const carriers = carriersOf(script, placeholders, args);
  const references = [...script.references, ...bareNames(script)].flatMap(({ name, ...reference }) => {
    const carries = carriersOfName(name, carriers);
    const variable = name.startsWith('SVC_') ? name : 'SVC_ARG_…';
    return carries === undefined ? [] : { ...reference, carries, variable };
  });
  return [...placeholders, ...references].map((use) => ({ ...use, shown: text.slice(use.start, use.end) }));
}

/** Builtins and keywords that evaluate the variable whose bare name they get. `time [[` is a keyword behind a keyword. */
const EVALUATORS = /^(?:let|declare|typeset|local|test|\[|\[\[|exit|return|shift|break|continue|ulimit)$/;
/** A subscript, which bash evaluates: `read 'list[NAME]'`, `printf -v 'list[NAME]'`, `time list[NAME]=1`. */
const SUBSCRIPT = /[A-Za-z_]\w*\[(.*)/s;
/** The name that stands for all variables of the environment. */
const ENVIRONMENT = '*';
/** A command of these words alone prints all variables. */
const PRINTS_ALL = /^(?:set|export|declare|typeset|readonly|command|builtin|-.*)?$/;

/** Names without a `$`: `let v=NAME` evaluates what the variable holds, `env` prints all variables. */
function bareNames({ commands }: Script): readonly Reference[] {
  return commands.flatMap(({ words }) => {
    const texts = words.map((word) => literalText(word) ?? '');
    const evaluates = isEvaluator(words);
    const printsAll = texts.every((text) => PRINTS_ALL.test(text));
    return words.flatMap((word, at): Reference[] => {
      const { start, end } = word;
      const fixed = fixedText(word);
      const names = namesIn(evaluates ? fixed : (SUBSCRIPT.exec(fixed)?.[1] ?? ''));
      const evaluated = names.map((name) => ({ name, start, end, evaluated: true }));
      const prints =
        (printsAll && texts[at] !== '') || /^(?:env|printenv|environ)$/.test(programName(word) ?? '');
      return prints ? [...evaluated, { name: ENVIRONMENT, start, end, evaluated: false }] : evaluated;
    });
  });
}

function isEvaluator(words: readonly ShellWord[]): boolean {
  return words.some((word) => EVALUATORS.test(literalText(word) ?? '') || SUBSCRIPT.test(fixedText(word)));
}

/** The text of a word without its values and expansions, which cannot join two names. */
function fixedText({ parts }: ShellWord): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : ' ')).join('');
}

function namesIn(text: string): string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

type Carriers = Map<string, ReadonlySet<string>>;

/** Variables that a builtin sets to a fixed text: `export x=SVC_ARG_A`. */
function settingsInWords({ commands }: Script): { readonly name: string; readonly word: ShellWord }[] {
  return commands.flatMap(({ words }) =>
    words.flatMap((word) => {
      const name = variableSetBy(literalText(word) ?? '');
      return name === undefined ? [] : [{ name, word }];
    }),
  );
}

function carriersOfName(name: string, carriers: Carriers): ReadonlySet<string> | undefined {
  return carriers.get(name) ?? (name.startsWith('SVC_SECRET_') ? new Set([SECRET]) : undefined);
}

/** Loops run backwards too, so the settings are gone through until no variable gains anything. */
function carriersOf(
  script: Script,
  placeholders: readonly Omit<Use, 'shown'>[],
  args: readonly DeclaredArgument[],
): Carriers {
  const carriers: Carriers = new Map(args.map(({ name }) => [argumentVariable(name), new Set([name])]));
  carriers.set(ENVIRONMENT, new Set(args.map(({ name }) => name)));
  // Arithmetic evaluates a name again that it finds in a variable: `x=SVC_ARG_A; let y=x`.
  const evaluates =
    script.references.some(({ evaluated }) => evaluated) ||
    script.commands.some(({ words }) => isEvaluator(words));
  const settings = [...script.settings, ...(evaluates ? settingsInWords(script) : [])];
  for (let changed = true; changed; ) {
    changed = false;
    for (const { name, word } of settings) {
      const within = <Part extends TextSpan>(parts: readonly Part[]) =>
        parts.filter((part) => isWithin(part, word));
      const names = [
        ...within(script.references).map((each) => each.name),
        ...(evaluates ? namesIn(fixedText(word)) : []),
      ];
      const gained = [
        ...within(placeholders).flatMap(({ carries }) => [...carries]),
        ...names.flatMap((each) => [...(carriersOfName(each, carriers) ?? [])]),
      ];
      const known = carriers.get(name);
      if (gained.every((each) => known?.has(each))) continue;
      carriers.set(name, new Set([...(known ?? []), ...gained]));
      changed = true;
    }
  }
  return carriers;
}
