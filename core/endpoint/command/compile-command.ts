import { LIMITS } from '../../plan/limits.ts';
import { argumentVariable } from '../argument-name.ts';
import type { ArgumentType, DeclaredArgument } from '../definition.ts';
import { type FindValue, valueFinder } from '../find-value.ts';
import type { CommandProblem, Program } from '../program.ts';
import { isSecretName } from '../secret-name.ts';
import { argvWords, buildProgram } from './build-program.ts';
import { inferTypes, type Travel, travelOf, typeProblems } from './check-types.ts';
import { findReceivers, type Receivers } from './receivers/receive.ts';
import { literalText } from './receivers/words.ts';
import { readScript, type ScriptReading } from './shell/read-script.ts';
import { isWithin, type Script, type ShellWord, type SimpleCommand, type TextSpan } from './shell/script.ts';
import { listReadings, placedTypes, spreadProblems } from './spread-lists.ts';

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
 * Reads a command line once, when it is loaded (decision 6, two modes of a command, and decision 57, values by type). `svc`
 * makes no program text from a value; the type of each argument decides what may stand where.
 *
 * Offsets are in the given text, in UTF-16 code units. The argument names must not collide (`collidingNames`).
 */
export function compileCommand(text: string, args: readonly DeclaredArgument[]): CompiledCommand {
  const findValue = valueFinder(new Set(args.map(({ name }) => name)));
  const { commandChars, commandValues } = LIMITS;
  if (text.length > commandChars)
    return tooMuch(
      commandChars,
      `the command has more than ${commandChars} characters: move it into a script`,
    );
  const reading = readScript(text, findValue);
  const over = reading.script.values[commandValues];
  if (over !== undefined)
    return tooMuch(
      over.start,
      `the command holds more than ${commandValues} values: move it into a script that reads them from its environment`,
    );
  const receivers = findReceivers(reading.script, text, args);
  const all: Receivers = {
    ...receivers,
    received: [
      ...receivers.received,
      ...listReadings(reading.script, args).flatMap((script) => findReceivers(script, text, args).received),
    ],
  };
  const types = inferTypes(args, all);
  const isArgv = argvWords(reading) !== undefined;
  const hasValues = namesValue(text, findValue);
  const problems = [
    ...textProblems(text, reading, hasValues),
    ...nameProblems(reading.script, args),
    ...(hasValues ? redefinitions(reading.script, receivers.uses) : []),
    ...spreadProblems(reading.script, args, isArgv),
    ...typeProblems(all, placedTypes(args, types, isArgv)),
  ];
  if (problems.length > 0) return { kind: 'problems', problems: firstAtEachPlace(problems) };
  const program = buildProgram(reading, text, args, receivers.isAfterDashes);
  return { kind: 'program', program, types, travel: travelOf(args, receivers) };
}

/** A text for which the rules would need long. Nobody writes such a text by hand. */
function tooMuch(start: number, message: string): CompiledCommand {
  return { kind: 'problems', problems: [problem({ start, end: start + 1 }, message)] };
}

/** Whether the text names a value anywhere, comments included. */
function namesValue(text: string, findValue: FindValue): boolean {
  const marks = text.matchAll(/(?=\{\{|\$svc:|\bSVC_(?:ARG|SECRET)_)/g);
  return marks.some(({ index }) => text.startsWith('SVC_', index) || findValue(text, index) !== undefined);
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

function emptinessProblems({ commands, isPlain }: ScriptReading['script'], text: string): CommandProblem[] {
  const [word] = commands[0]?.words ?? [];
  const isEmpty = word === undefined ? commands.length === 0 && isPlain : literalText(word) === '';
  const message = 'the command is empty: write what is to run';
  return isEmpty ? [problem(word ?? { start: 0, end: text.length }, message)] : [];
}

/**
 * Secret arguments are for the environment only (decision 9, values of a call). Some names no secret can have (decision 13,
 * managed secrets).
 */
function nameProblems({ values }: Script, args: readonly DeclaredArgument[]): CommandProblem[] {
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

/** Builtins that run a text in this shell, or change what later words mean. */
const REDEFINES = new Set('eval trap alias hash enable coproc fc bind complete'.split(' '));

/** The commands beside which no value can be checked. Where one holds a value itself, that value is the problem. */
function redefinitions({ commands }: Script, uses: readonly TextSpan[]): CommandProblem[] {
  const message =
    'this changes what other words of the command mean, so values cannot stand beside it: ' +
    'move this into a script that reads the values from its environment';
  return commands
    .filter((command) => redefines(command) && !uses.some((use) => isWithin(use, command)))
    .map((command) => problem(command, message));
}

function redefines({ words }: SimpleCommand): boolean {
  // Expansions can come to nothing: `"$x"alias` and `$x alias` may be `alias`.
  const texts = words.map(({ parts }) =>
    parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''),
  );
  // `time` is a keyword of bash: assignments, `!` and builtins keep their meaning behind it. `-`, `noglob` and `nocorrect` are words of zsh
  // before a command.
  const isPassing = (text: string, at: number) =>
    /^(?:command|builtin|noglob|nocorrect|time|!|-)?$/.test(text) ||
    (at > 0 && /^-|^\w+(?:\[[^\]]*\])?\+?=/.test(text));
  const at = texts.findIndex((text, index) => !isPassing(text, index));
  const name = texts[at] ?? '';
  return name === '.' || name === 'source' ? !isFile(words[at + 1]) : REDEFINES.has(name);
}

/** A file of the owner may be sourced. `/dev/stdin` is a text of this script. */
function isFile(word: ShellWord | undefined): boolean {
  const path = literalText(word) ?? '';
  return path !== '' && path !== '-' && !/^\/(?:dev|proc)\//.test(path);
}

function problem({ start, end }: TextSpan, message: string): CommandProblem {
  return { offset: start, length: end - start, message };
}

/** Sorted. Of several problems at one place the first counts. */
function firstAtEachPlace(problems: readonly CommandProblem[]): readonly CommandProblem[] {
  const byOffset = new Map(problems.toReversed().map((one) => [one.offset, one]));
  return [...byOffset.values()].sort((a, b) => a.offset - b.offset);
}
