import type { CommandProblem } from '../program.ts';
import { isSecretName } from '../secret-name.ts';
import type { Script, ShellWord, Span } from '../shell/script.ts';
import type { CommandArgument } from './command-argument.ts';
import { usesInRunInput, type WalkedCommand } from './flows.ts';
import { evaluatedUses, type HostileUse, type HostileUses, hostileUses } from './hostile-use.ts';
import { literalText } from './literal.ts';
import { WHY_REFUSED, whyDescriptor } from './refused-places.ts';
import { isSafeToSet, whyVariable } from './set-variable.ts';
import type { Reason, Walk } from './walk.ts';
import { walkWords } from './walk-command.ts';

/** The outcome of the rules: the problems, one for each place, and which words a `--` of their command protects. */
export interface Checked {
  readonly problems: readonly CommandProblem[];
  readonly isAfterDashes: (word: ShellWord) => boolean;
}

/** Applies every rule of decision 7 to a script. */
export function checkScript(script: Script, text: string, args: readonly CommandArgument[]): Checked {
  const uses = hostileUses(script, text, args);
  const walked = walkAll(script, args, uses);
  const problems = new Problems();
  refusePlaces(script, uses, problems);
  refuseNames(script, args, problems, uses);
  for (const use of evaluatedUses(script, uses)) problems.add(use, whyEvaluated(use));
  for (const use of script.descriptors.flatMap(uses.within)) problems.add(use, whyDescriptor(use));
  refuseSettings(script, uses, problems);
  for (const { walk } of walked) refuseRoles(walk, uses, problems);
  for (const { walk } of walked) refuseSplitting(walk, uses, problems);
  for (const { use, command } of usesInRunInput(script, walked, uses))
    problems.add(use, whyInput(use, command));
  refuseAlias(walked, uses, problems);
  return { problems: problems.sorted(), isAfterDashes: dashesOf(walked) };
}

/** Collects at most one problem for each place: the first that is found says enough. */
class Problems {
  readonly #byOffset = new Map<number, CommandProblem>();

  add({ start, end }: Span, message: string): void {
    if (!this.#byOffset.has(start))
      this.#byOffset.set(start, { offset: start, length: end - start, message });
  }

  sorted(): CommandProblem[] {
    return [...this.#byOffset.values()].sort((a, b) => a.offset - b.offset);
  }
}

function walkAll(script: Script, args: readonly CommandArgument[], uses: HostileUses): WalkedCommand[] {
  const byName = new Map(args.map((argument) => [argument.name, argument]));
  const isHostile = (word: ShellWord) => uses.within(word).length > 0;
  return script.commands.map((command) => ({
    span: { start: command.start, end: command.end },
    walk: walkWords(command.words, isHostile, (name) => byName.get(name)),
  }));
}

function refusePlaces(script: Script, uses: HostileUses, problems: Problems): void {
  for (const { use, place } of script.refused) {
    const hostile = uses.all.find(({ start }) => start === use.start);
    if (hostile !== undefined) problems.add(use, WHY_REFUSED[place](hostile));
  }
}

/** Secret arguments are for the environment only (decision 9); some names no secret can have (decision 13). */
function refuseNames(
  script: Script,
  args: readonly CommandArgument[],
  problems: Problems,
  uses: HostileUses,
): void {
  const secretArguments = new Set(
    args.filter((argument) => argument.secret).map((argument) => argument.name),
  );
  for (const use of script.values) {
    const hostile = uses.all.find(({ start }) => start === use.start);
    if (hostile === undefined) continue;
    if (use.kind === 'argument' && secretArguments.has(use.name))
      problems.add(use, whySecretArgument(hostile));
    if (use.kind === 'secret' && !isSecretName(use.name)) {
      problems.add(
        use,
        `no secret can be called ${use.name}: up to 64 letters, digits and _, and none of the names that decide what runs`,
      );
    }
  }
}

function refuseSettings(script: Script, uses: HostileUses, problems: Problems): void {
  for (const setting of script.settings) {
    if (isSafeToSet(setting.name)) continue;
    const others = uses.within(setting).filter((use) => !readsItself(use, setting.name));
    for (const use of others) problems.add(use, whyVariable(setting.name)(use));
  }
}

/** `PATH={{x}}:$PATH`: what is wrong is said once. */
function readsItself(use: HostileUse, name: string): boolean {
  return use.shown === `$${name}` || use.shown.startsWith(`\${${name}`);
}

function refuseRoles(walk: Walk, uses: HostileUses, problems: Problems): void {
  for (const [index, word] of walk.words.entries()) {
    const role = walk.roles[index];
    if (role?.kind !== 'refused') continue;
    for (const use of uses.within(word)) problems.add(use, role.reason(use));
  }
}

/**
 * Outside quotes a variable becomes several words, and each of them could be an option or a command of its own. To `set`
 * and `for` that is what splitting a list is for.
 */
function refuseSplitting(walk: Walk, uses: HostileUses, problems: Problems): void {
  if (walk.chain[0] === 'set') return;
  for (const part of walk.words.flatMap((word) => word.parts)) {
    if (part.kind !== 'expansion' || part.quoted) continue;
    for (const use of uses.within(part)) problems.add(use, whyUnquoted(use));
  }
}

/** After an alias the words of the text are not what they seem to be: none stands beside a value. */
function refuseAlias(walked: readonly WalkedCommand[], uses: HostileUses, problems: Problems): void {
  if (uses.all.length === 0) return;
  for (const { span, walk } of walked) {
    if (walk.chain.includes('alias') || endsInAlias(walk)) {
      problems.add(
        span,
        'an alias changes what later words mean, so values beside it cannot be checked: write a function',
      );
    }
  }
}

function dashesOf(walked: readonly WalkedCommand[]): (word: ShellWord) => boolean {
  const protectedWords = new Set<ShellWord>();
  for (const { walk } of walked) {
    for (const [index, word] of walk.words.entries()) {
      const role = walk.roles[index];
      if (role?.kind !== 'data') continue;
      const before = walk.words.slice(role.owner + 1, index);
      if (before.some((earlier) => literalText(earlier) === '--')) protectedWords.add(word);
    }
  }
  return (word) => protectedWords.has(word);
}

/** `"$x"alias a=b`: known only at run time, and most likely an alias then. */
function endsInAlias({ words: [command] }: Walk): boolean {
  const last = command?.parts.at(-1);
  return last?.kind === 'text' && last.text.endsWith('alias');
}

const whyInput = (use: HostileUse, command: string): string =>
  `${command} runs what it reads, and ${use.shown} goes into its input: give it a fixed program that reads $${use.variable}`;

const whyUnquoted: Reason = (use) =>
  `${use.shown} is outside quotes here, where its value becomes several words: put double quotes around it`;

const whyEvaluated: Reason = (use) =>
  `${use.shown} is evaluated here, which runs what its value contains: ` +
  'declare the argument as "type: integer", or compute in a script';

const whySecretArgument: Reason = (use) =>
  `${use.shown} is a secret argument and other users of the machine could see it in the process list: ` +
  `let the program read ${use.variable} from its environment`;
