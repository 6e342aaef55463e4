import { LIMITS } from '../../plan/limits.ts';
import { argvWords, programWord } from './argv-mode.ts';
import { type FindValue, valueFinder } from './find-value.ts';
import type { CommandProblem, Program } from './program.ts';
import { rewriteForShell } from './rewrite.ts';
import { isCarrier, VALUE_VARIABLES } from './rules/carriers.ts';
import type { CommandArgument } from './rules/command-argument.ts';
import { literalText } from './rules/literal.ts';
import { type Checked, checkScript } from './rules/refusals.ts';
import { readScript, type ScriptReading } from './shell/read-script.ts';
import type { Script, Span } from './shell/script.ts';
import { typoNotes } from './typo-notes.ts';
import { unfold } from './unfold.ts';

/** A command that may run, or everything that is wrong with it, by offset. `notes` refuse nothing: likely typos. */
export type CompiledCommand =
  | { readonly kind: 'program'; readonly program: Program; readonly notes: readonly CommandProblem[] }
  | { readonly kind: 'problems'; readonly problems: readonly CommandProblem[] };

/**
 * Reads a command line once, when it is loaded (decisions 6, 7 and 13), so that no value of a call can ever become code.
 *
 * Offsets are in the given text. The argument names must not collide (`collidingNames`).
 */
export function compileCommand(text: string, args: readonly CommandArgument[]): CompiledCommand {
  const names = args.map((argument) => argument.name);
  const findValue = valueFinder(new Set(names));
  const excess = tooMuch(text, findValue);
  if (excess !== undefined) return { kind: 'problems', problems: [excess] };
  const reading = readScript(text, findValue);
  const checked = checkScript(reading.script, text, args);
  const hasValues = mentionsValue(text, findValue, args);
  const visible = [...textProblems(text, reading, hasValues), ...checked.problems];
  const hidden = hasValues && visible.length === 0 ? hiddenProblems(text, args, findValue) : [];
  const problems = [...visible, ...hidden].sort((a, b) => a.offset - b.offset);
  if (problems.length > 0) return { kind: 'problems', problems };
  const program = buildProgram(reading, text, args, checked);
  return { kind: 'program', program, notes: typoNotes(text, names) };
}

/** What would keep the rules below busy for long: nobody writes that by hand. */
function tooMuch(text: string, findValue: FindValue): CommandProblem | undefined {
  if (text.length > LIMITS.commandChars) {
    const message = `the command has more than ${LIMITS.commandChars} characters: move it into a script`;
    return problem({ start: LIMITS.commandChars, end: text.length }, message);
  }
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    if (findValue(text, at) === undefined) continue;
    values += 1;
    if (values <= LIMITS.commandValues) continue;
    const message = `the command holds more than ${LIMITS.commandValues} values: move it into a script that reads them from its environment`;
    return problem({ start: at, end: at + 1 }, message);
  }
  return undefined;
}

/** What is wrong with the text as a whole. A text that was not understood may run, but only without values in it. */
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
  const hint = 'or move this into a script that reads the values from its environment';
  return [problem(stopped.span, `${stopped.message}, ${hint}`)];
}

/** The same rules for what the script runs by `eval` and `trap`: in a text of its own it would not be looked at. */
function hiddenProblems(
  text: string,
  args: readonly CommandArgument[],
  findValue: FindValue,
): readonly CommandProblem[] {
  const unfolded = unfold(text, findValue, LIMITS.commandChars);
  if (unfolded === undefined) return [];
  const unclear = 'what this makes the shell run is not understood, so values beside it cannot be checked';
  const hint = 'move this into a script that reads the values from its environment';
  if (!('reading' in unfolded)) return [problem(unfolded, `${unclear}: ${hint}`)];
  const { reading, origin } = unfolded;
  const { stopped, script } = reading;
  if (stopped !== undefined)
    return [problem(origin(stopped.span), `${unclear} (${stopped.message}): ${hint}`)];
  const found = checkScript(script, unfolded.text, args).problems.map(({ offset, length, message }) =>
    problem(origin({ start: offset, end: offset + length }), message),
  );
  // Several may stand in one word.
  return [...new Map(found.map((one) => [one.offset, one])).values()];
}

function emptinessProblems(script: Script, text: string): CommandProblem[] {
  const [first] = script.commands;
  if (first === undefined && script.isPlain) {
    return [problem({ start: 0, end: text.length }, 'the command is empty: write what is to run')];
  }
  const [word] = first?.words ?? [];
  if (word === undefined || literalText(word) !== '') return [];
  return [problem(word, 'the name of the command is empty: write what is to run')];
}

function problem({ start, end }: Span, message: string): CommandProblem {
  return { offset: start, length: end - start, message };
}

/** Whether a value has a place in the text, or the text reads the variable of one. */
function mentionsValue(text: string, findValue: FindValue, args: readonly CommandArgument[]): boolean {
  for (let at = 0; at < text.length; at++) {
    if (findValue(text, at) !== undefined) return true;
  }
  return [...text.matchAll(VALUE_VARIABLES)].some(([name]) => isCarrier(name, args));
}

function buildProgram(
  { script, stopped }: ScriptReading,
  text: string,
  args: readonly CommandArgument[],
  { isAfterDashes }: Checked,
): Program {
  const secrets = secretNames(script);
  const argv = stopped === undefined ? argvWords(script) : undefined;
  if (argv !== undefined) {
    return { mode: 'argv', words: argv.map((word) => programWord(word, isAfterDashes(word))), secrets };
  }
  const words = script.held
    .map(({ word }) => programWord(word, isAfterDashes(word)))
    .filter((word) => word.pieces.some((piece) => piece.kind !== 'text'));
  return { mode: 'shell', text: rewriteForShell(script, text, args), words, secrets };
}

function secretNames(script: Script): readonly string[] {
  const names = script.values.filter((use) => use.kind === 'secret').map((use) => use.name);
  return [...new Set(names)].sort();
}
