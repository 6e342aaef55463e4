import { LIMITS } from '../../plan/limits.ts';
import { argumentVariable } from '../argument-name.ts';
import type { ArgumentType } from '../definition.ts';
import { type FindValue, valueFinder } from '../find-value.ts';
import type { CommandProblem, Program } from '../program.ts';
import { isSecretName } from '../secret-name.ts';
import { argvWords, programWord } from './argv-mode.ts';
import { inferTypes, travelOf, typeProblems } from './check-types.ts';
import { type CommandArgument, isClosed } from './command-argument.ts';
import { findReceivers, type Receivers } from './receivers/receive.ts';
import { literalText } from './receivers/words.ts';
import { redefinitions } from './redefinitions.ts';
import { rewriteForShell } from './rewrite.ts';
import { readScript, type ScriptReading } from './shell/read-script.ts';
import type { Script, Span } from './shell/script.ts';
import type { Travel } from './travel.ts';

/** A command that may run, or everything that is wrong with it, by offset. */
export type CompiledCommand =
  | {
      readonly kind: 'program';
      readonly program: Program;
      /** The declared or inferred type of every argument, by name. */
      readonly types: ReadonlyMap<string, ArgumentType>;
      readonly travel: readonly Travel[];
    }
  | { readonly kind: 'problems'; readonly problems: readonly CommandProblem[] };

/**
 * Reads a command line once, when it is loaded (decisions 6 and 57). `svc` makes no program text from a value; the type of
 * each argument decides what may stand where.
 *
 * Offsets are in the given text, in UTF-16 code units. The argument names must not collide (`collidingNames`).
 */
export function compileCommand(text: string, args: readonly CommandArgument[]): CompiledCommand {
  const findValue = valueFinder(new Set(args.map(({ name }) => name)));
  const values = placeholders(text, findValue);
  const excess = excessProblem(text, values);
  if (excess !== undefined) return { kind: 'problems', problems: [excess] };
  const reading = readScript(text, findValue);
  const receivers = findReceivers(reading.script, text, args);
  const types = inferTypes(args, receivers);
  const hasValues = values.length > 0 || namesValue(text, args);
  const problems = [
    ...textProblems(text, reading, hasValues),
    ...nameProblems(reading.script, args),
    ...bareNameProblems(reading.script, args),
    ...(hasValues ? redefinitions(reading.script, receivers.uses) : []),
    ...typeProblems(receivers, types),
  ];
  if (problems.length > 0) return { kind: 'problems', problems: firstAtEachPlace(problems) };
  const program = buildProgram(reading, text, args, receivers);
  return { kind: 'program', program, types, travel: travelOf(args, receivers) };
}

/** A text so long that the rules would need long for it. Nobody writes such a text by hand. */
function excessProblem(text: string, values: readonly Span[]): CommandProblem | undefined {
  const { commandChars, commandValues } = LIMITS;
  if (text.length > commandChars) {
    const message = `the command has more than ${commandChars} characters: move it into a script`;
    return problem({ start: commandChars, end: text.length }, message);
  }
  const over = values[commandValues];
  const message = `the command holds more than ${commandValues} values: move it into a script that reads them from its environment`;
  return over && problem({ start: over.start, end: over.start + 1 }, message);
}

/** Where the text has a placeholder, commented ones included. */
function placeholders(text: string, findValue: FindValue): readonly Span[] {
  const found: Span[] = [];
  for (let at = 0; at < text.length; at++) {
    const value = findValue(text, at);
    if (value !== undefined) found.push({ start: at, end: at + value.length });
  }
  return found;
}

/** Problems of the whole text. A text that the reader does not understand may run, but only without values in it. */
function textProblems(
  text: string,
  { script, stopped }: ScriptReading,
  hasValues: boolean,
): CommandProblem[] {
  const nul = text.indexOf('\0');
  if (nul !== -1)
    return [problem({ start: nul, end: nul + 1 }, 'a command cannot hold a NUL character: remove it')];
  if (stopped === undefined) return emptinessProblems(script, text);
  if (stopped.never) return [problem(stopped.span, `${stopped.message}: close it, or quote it`)];
  if (!hasValues) return [];
  const hint = 'move this into a script that reads the values from its environment ($SVC_ARG_…)';
  const separator = stopped.message.includes(': ') ? ', or ' : ': ';
  return [problem(stopped.span, stopped.message + separator + hint)];
}

function emptinessProblems(script: ScriptReading['script'], text: string): CommandProblem[] {
  const [first] = script.commands;
  const [word] = first?.words ?? [];
  const isEmpty = first === undefined && script.isPlain;
  if (!isEmpty && (word === undefined || literalText(word) !== '')) return [];
  return [problem(word ?? { start: 0, end: text.length }, 'the command is empty: write what is to run')];
}

/** Secret arguments are for the environment only (decision 9). Some names no secret can have (decision 13). */
function nameProblems({ values }: Script, args: readonly CommandArgument[]): CommandProblem[] {
  const secret = new Set(args.filter((argument) => argument.secret).map(({ name }) => name));
  return values.flatMap((use) => {
    if (use.kind === 'secret' && !isSecretName(use.name)) {
      const rule = 'up to 64 letters, digits and _, and none of the names that decide what runs';
      return [problem(use, `no secret can be called ${use.name}: ${rule}`)];
    }
    if (use.kind === 'secret' || !secret.has(use.name)) return [];
    const variable = argumentVariable(use.name);
    const message =
      `{{${use.name}}} is a secret argument and other users of the machine could see it in the process list: ` +
      `let the program read ${variable} from its environment`;
    return [problem(use, message)];
  });
}

/** Builtins that evaluate the variable whose bare name they get. */
const EVALUATORS = new Set(
  'let declare typeset local test [ exit return shift break continue ulimit'.split(' '),
);
const VARIABLES = /\bSVC_(?:ARG|SECRET)_[A-Za-z0-9_]+/g;

function bareNameProblems({ commands }: Script, args: readonly CommandArgument[]): CommandProblem[] {
  return commands
    .filter(({ words }) => words.some((word) => EVALUATORS.has(literalText(word) ?? '')))
    .flatMap(({ words }) => words)
    .flatMap((word) => {
      const name = [...(literalText(word) ?? '').matchAll(VARIABLES)].find(([each]) =>
        isOpen(each, args),
      )?.[0];
      const message = `the shell evaluates what ${name} holds: declare "type: integer", or read $${name} in a script`;
      return name === undefined ? [] : [problem(word, message)];
    });
}

/** Whether a variable of the environment may hold more than a number or one of the owner's choices. */
function isOpen(variable: string, args: readonly CommandArgument[]): boolean {
  return !args.some((argument) => isClosed(argument) && argumentVariable(argument.name) === variable);
}

/** Whether the text names a variable that holds a value. */
function namesValue(text: string, args: readonly CommandArgument[]): boolean {
  return [...text.matchAll(VARIABLES)].some(([name]) => isOpen(name, args));
}

function problem({ start, end }: Span, message: string): CommandProblem {
  return { offset: start, length: end - start, message };
}

function firstAtEachPlace(problems: readonly CommandProblem[]): readonly CommandProblem[] {
  const byOffset = new Map<number, CommandProblem>();
  for (const one of problems) if (!byOffset.has(one.offset)) byOffset.set(one.offset, one);
  return [...byOffset.values()].sort((a, b) => a.offset - b.offset);
}

function buildProgram(
  reading: ScriptReading,
  text: string,
  args: readonly CommandArgument[],
  { isAfterDashes }: Receivers,
): Program {
  const { script } = reading;
  const named = script.values.filter((use) => use.kind === 'secret').map(({ name }) => name);
  const secrets = [...new Set(named)].sort();
  const argv = argvWords(reading);
  if (argv !== undefined)
    return { mode: 'argv', words: argv.map((word) => programWord(word, isAfterDashes(word))), secrets };
  const words = script.held
    .map(({ word }) => programWord(word, isAfterDashes(word)))
    .filter((word) => word.pieces.some((piece) => piece.kind !== 'text'));
  return { mode: 'shell', text: rewriteForShell(script, text, args), words, secrets };
}
