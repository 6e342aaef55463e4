import { argumentVariable } from '../../argument-name.ts';
import type { Script, Setting } from '../shell/script.ts';
import { SpanIndex } from '../shell/span-index.ts';
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
 * Where it sets them does not matter, because loops and functions run backwards: a name that carries makes every name
 * that is set from it carry, too.
 */
export function carrierNames(script: Script, args: readonly CommandArgument[]): ReadonlySet<string> {
  const harmless = args.filter(isHarmless).map((argument) => argument.name);
  const values = new SpanIndex(
    script.values.filter((use) => use.kind === 'secret' || !harmless.includes(use.name)),
  );
  const settings = [...script.settings, ...declaredSettings(script), ...positionalSettings(script)];
  const setFrom = readersByName(script, settings);
  const waiting = script.references.map(({ name }) => name).filter((name) => isCarrier(name, args));
  waiting.push(...settings.filter((setting) => values.within(setting).length > 0).map(({ name }) => name));
  if (script.values.length > 0 || waiting.length > 0) waiting.push(...namesThatReadSets(script));
  const names = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (names.has(name)) continue;
    names.add(name);
    waiting.push(...(setFrom.get(name) ?? []));
  }
  return names;
}

/** For each variable the names that are set from it. */
function readersByName(script: Script, settings: readonly Setting[]): ReadonlyMap<string, string[]> {
  const references = new SpanIndex(script.references);
  const readers = new Map<string, string[]>();
  for (const setting of settings) {
    for (const { name } of references.within(setting)) {
      const known = readers.get(name);
      if (known === undefined) readers.set(name, [setting.name]);
      else known.push(setting.name);
    }
  }
  return readers;
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
function positionalSettings(script: Script): Setting[] {
  return script.commands
    .filter((command) => {
      const name = literalText(command.words[0]) ?? '';
      return name === 'set' || script.functions.has(name);
    })
    .flatMap(({ start, end }) => POSITIONAL.map((name) => ({ name, start, end })));
}
