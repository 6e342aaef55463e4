import { argumentVariable } from '../argument-name.ts';
import type { ArgumentType, DeclaredArgument } from '../definition.ts';
import type { CommandProblem } from '../program.ts';
import { literalText } from './receivers/words.ts';
import { isWithin, type Script, type ShellWord, type SimpleCommand } from './shell/script.ts';

type Lists = ReadonlyMap<string, DeclaredArgument>;

/**
 * The command with more items in its lists than one, and with none in those that may be absent (decision 67, lists and JSON
 * values): the words behind a list move, and so does each item. A value must fit its place in every reading.
 */
export function listReadings(script: Script, args: readonly DeclaredArgument[]): readonly Script[] {
  const lists: Lists = new Map(args.filter(({ type }) => type === 'list').map((list) => [list.name, list]));
  const isUsed = script.values.some(({ name }) => lists.has(name));
  if (!isUsed) return [];
  return [0, 2, 3].map((count) => ({
    ...script,
    commands: script.commands.map((command) => ({ ...command, words: spread(command.words, lists, count) })),
  }));
}

function spread(words: readonly ShellWord[], lists: Lists, count: number): readonly ShellWord[] {
  return words.flatMap((word, at) => {
    const list = listOf(word, lists);
    const next = words[at + 1];
    if (list === undefined) return next !== undefined && listOf(next, lists)?.each ? [] : [word];
    const before = list.each ? words.slice(at - 1, at) : [];
    return Array.from({ length: count }, () => [...before, word]).flat();
  });
}

/** The list of which the word is the placeholder. */
function listOf({ parts }: ShellWord, lists: Lists): DeclaredArgument | undefined {
  const values = parts.filter((part) => part.kind !== 'text' || part.text !== '');
  const [only] = values;
  return values.length === 1 && only?.kind === 'argument' ? lists.get(only.name) : undefined;
}

/**
 * The types by which places are checked. An item of a list stands as a word of its own; the JSON text of a list or of a JSON
 * value is in a variable only.
 */
export function placedTypes(
  args: readonly DeclaredArgument[],
  types: ReadonlyMap<string, ArgumentType>,
  isArgv: boolean,
): ReadonlyMap<string, ArgumentType> {
  const placed = args
    .filter(({ type }) => type === 'list' || type === 'json')
    .map(({ name, type, items }) => [name, type === 'list' && isArgv ? (items ?? 'word') : 'text'] as const);
  return new Map([...types, ...placed]);
}

/** The placeholders of lists and JSON values that no words could take their place. */
export function spreadProblems(
  script: Script,
  args: readonly DeclaredArgument[],
  isArgv: boolean,
): CommandProblem[] {
  const byName = new Map(args.map((argument) => [argument.name, argument]));
  return script.values.flatMap((use) => {
    const argument = use.kind === 'argument' ? byName.get(use.name) : undefined;
    if (argument?.type !== 'list' && argument?.type !== 'json') return [];
    const shown = `{{${use.name}}}`;
    const variable = argumentVariable(use.name);
    const message =
      argument.type === 'json'
        ? `${shown} is a JSON value, which is no word of a command: let the program read ${variable} from its environment`
        : isArgv
          ? wordProblem(argument, script.commands[0], use, shown)
          : `${shown} is a list, and only a command without shell syntax takes one word per item: move the shell syntax into a script that gets the items as "$@", or read the JSON list in ${variable}`;
    return message === undefined ? [] : [{ offset: use.start, length: use.end - use.start, message }];
  });
}

function wordProblem(
  argument: DeclaredArgument,
  command: SimpleCommand | undefined,
  use: { readonly start: number; readonly end: number },
  shown: string,
): string | undefined {
  const words = command?.words ?? [];
  const at = words.findIndex((word) => isWithin(use, word));
  const word = words[at];
  if (word === undefined || listOf(word, new Map([[argument.name, argument]])) === undefined)
    return `${shown} is a list and becomes one word per item, so it must be a word of its own; with "each: true" the word before it is repeated`;
  if (!argument.each) return undefined;
  const before = words[at - 1];
  if (at >= 2 && before !== undefined && literalText(before) !== undefined && literalText(before) !== '--')
    return undefined;
  return `${shown} has "each: true", so a fixed word such as --file must stand before it`;
}
