import { argumentVariable } from '../../argument-name.ts';
import { isWithin, type Script, type Setting, type SimpleCommand, type Span } from '../shell/script.ts';
import { type CommandArgument, isHarmless } from './command-argument.ts';
import { literalPrefix, literalText, variableSetBy } from './literal.ts';

/** The variables that values are in, wherever a text names them. */
export const VALUE_VARIABLES = /\bSVC_(?:ARG|SECRET)_[A-Za-z0-9_]+/g;

/** Whether a variable of the environment carries a value that could be code. */
export function isCarrier(name: string, args: readonly CommandArgument[]): boolean {
  if (!/^SVC_(ARG|SECRET)_/.test(name)) return false;
  return !args.some((argument) => isHarmless(argument) && argumentVariable(argument.name) === name);
}

/** The positional parameters. */
const POSITIONAL = ['@', '*', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

/**
 * The names of all variables that may hold a value: those of the environment, and those that the text sets from one.
 * Where it sets them does not matter, because loops and functions run backwards; so it goes on until no name is added.
 */
export function carrierNames(script: Script, args: readonly CommandArgument[]): ReadonlySet<string> {
  const harmless = args.filter(isHarmless).map((argument) => argument.name);
  const values = script.values.filter((use) => use.kind === 'secret' || !harmless.includes(use.name));
  const names = new Set(script.references.map(({ name }) => name).filter((name) => isCarrier(name, args)));
  const carries = (span: Span) =>
    values.some((use) => isWithin(use, span)) ||
    script.references.some((reference) => names.has(reference.name) && isWithin(reference, span));
  if (values.length > 0 || names.size > 0) addAll(names, namesThatReadSets(script));
  const settings = [...script.settings, ...declaredSettings(script)];
  for (let size = -1; size !== names.size; ) {
    size = names.size;
    addAll(
      names,
      settings.filter(carries).map((setting) => setting.name),
    );
    if (script.commands.some((command) => setsPositional(script, command) && carries(command))) {
      addAll(names, POSITIONAL);
    }
  }
  return names;
}

function addAll(names: Set<string>, more: readonly string[]): void {
  for (const name of more) names.add(name);
}

/** `export x=…` and the like: words that set a variable, whatever the command is. */
function declaredSettings(script: Script): Setting[] {
  return script.commands
    .flatMap((command) => command.words)
    .flatMap((word) => {
      const name = variableSetBy(literalPrefix(word));
      return name === undefined ? [] : [{ name, start: word.start, end: word.end }];
    });
}

/** What `read` reads can be what a value became: `echo {{x}} | while read -r line`. */
function namesThatReadSets(script: Script): string[] {
  const reads = script.commands.filter((command) => literalText(command.words[0]) === 'read');
  return reads.flatMap((command) => command.words.slice(1)).map((word) => literalText(word) ?? '');
}

/** `set` and calls of functions that the text defines hand their words on as `$1`, `$2`, … */
function setsPositional(script: Script, command: SimpleCommand): boolean {
  const name = literalText(command.words[0]) ?? '';
  return name === 'set' || script.functions.has(name);
}
