import type { CommandProblem } from '../program.ts';
import type { Script, ShellWord } from '../shell/script.ts';
import { type Check, Problems } from './check.ts';
import type { CommandArgument } from './command-argument.ts';
import { usesInRunInput, type WalkedCommand } from './flows.ts';
import { type HostileUse, hostileUses } from './hostile-use.ts';
import { literalText } from './literal.ts';
import { refusePlaces } from './place-refusals.ts';
import { walkWords } from './walk-command.ts';
import { refuseWords } from './word-refusals.ts';

/** The outcome of the rules: the problems, one for each place, and which words a `--` of their command protects. */
export interface Checked {
  readonly problems: readonly CommandProblem[];
  readonly isAfterDashes: (word: ShellWord) => boolean;
}

/** Applies every rule of decision 7 to a script. */
export function checkScript(script: Script, text: string, args: readonly CommandArgument[]): Checked {
  const check: Check = { script, args, uses: hostileUses(script, text, args), problems: new Problems() };
  const walked = walkAll(check);
  refusePlaces(check);
  for (const command of walked) refuseWords(check, command);
  for (const { use, command } of usesInRunInput(script, walked, check.uses)) {
    check.problems.add(use, whyInput(use, command));
  }
  return { problems: check.problems.sorted(), isAfterDashes: dashesOf(walked) };
}

function walkAll({ script, args, uses }: Check): WalkedCommand[] {
  const byName = new Map(args.map((argument) => [argument.name, argument]));
  const isHostile = (word: ShellWord) => uses.within(word).length > 0;
  return script.commands.map((command) => ({
    span: { start: command.start, end: command.end },
    walk: walkWords(command.words, isHostile, (name) => byName.get(name)),
  }));
}

function dashesOf(walked: readonly WalkedCommand[]): (word: ShellWord) => boolean {
  const protectedWords = new Set<ShellWord>();
  for (const { walk } of walked) {
    let lastDashes = -1;
    for (const [index, word] of walk.words.entries()) {
      const role = walk.roles[index];
      if (role?.kind === 'data' && lastDashes > role.owner) protectedWords.add(word);
      if (literalText(word) === '--') lastDashes = index;
    }
  }
  return (word) => protectedWords.has(word);
}

const whyInput = (use: HostileUse, command: string): string =>
  `${command} runs what it reads, and ${use.shown} goes into its input: give it a fixed program that reads $${use.variable}`;
