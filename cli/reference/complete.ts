import type { Command } from 'commander';

/** A word that can stand at the cursor, and what it means. */
export interface Candidate {
  readonly word: string;
  readonly text: string;
}

/**
 * The words that can stand at the cursor. `words` are those of the line behind `svc`; the last one is being typed and may be
 * empty. Nothing is offered for a value of an option or an argument, so the shell offers files.
 */
export function candidatesFor(root: Command, words: readonly string[]): Candidate[] {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { command, isValue, hasArgument } = commandAt(root, before);
  if (isValue) return [];
  const all = typed.startsWith('-') ? optionsOf(command) : hasArgument ? [] : subcommandsOf(command);
  return all.filter(({ word }) => word.startsWith(typed));
}

/**
 * The arguments of the subcommand, without options; the last one is being typed. Undefined if the line has another subcommand, or an option
 * or its value is being typed.
 */
export function argumentsOf(root: Command, words: readonly string[], name: string): string[] | undefined {
  const typed = words.at(-1) ?? '';
  const { command, isValue, values } = commandAt(root, words.slice(0, -1));
  if (command.parent !== root || command.name() !== name || isValue || typed.startsWith('-'))
    return undefined;
  return [...values, typed];
}

/** Control characters would end a line, and a terminal would execute them. */
const CONTROL = /\p{Cc}+/gu;

/** A line for each candidate: the word, a tab and its meaning. A word with a control character is left out. */
export function completionLines(candidates: readonly Candidate[]): string {
  return candidates
    .filter(({ word }) => word.search(CONTROL) < 0)
    .map(({ word, text }) => `${word}\t${text.replaceAll(CONTROL, ' ')}\n`)
    .join('');
}

/** The innermost command of the words, its arguments, and whether an option waits for its value. */
function commandAt(root: Command, words: readonly string[]) {
  let command = root;
  let hasArgument = false;
  const values: string[] = [];
  let isValue = false;
  for (const word of words) {
    if (isValue) {
      isValue = false;
      continue;
    }
    if (word.startsWith('-')) {
      const option = command.options.find((one) => one.long === word || one.short === word);
      isValue = option?.required === true;
      continue;
    }
    const inner = hasArgument
      ? undefined
      : command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (inner === undefined) {
      hasArgument = true;
      values.push(word);
    } else command = inner;
  }
  return { command, isValue, hasArgument, values };
}

function subcommandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ word: one.name(), text: one.description() }));
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap((one) => (one.long === undefined ? [] : [{ word: one.long, text: one.description }]));
}
