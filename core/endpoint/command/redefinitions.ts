import type { CommandProblem } from '../program.ts';
import { literalText } from './receivers/words.ts';
import { isWithin, type Script, type ShellWord, type SimpleCommand, type Span } from './shell/script.ts';

/** Builtins that run a text in this shell, or change what later words mean. */
const REDEFINES = new Set('eval trap alias hash enable coproc fc bind complete'.split(' '));
/** Builtins that pass on to the one behind them. */
const PASSES = new Set(['command', 'builtin']);

/** The commands beside which no value can be checked. Where one holds a value itself, that value is the problem. */
export function redefinitions({ commands }: Script, uses: readonly Span[]): CommandProblem[] {
  const found = commands.filter(
    (command) => redefines(command) && !uses.some((use) => isWithin(use, command)),
  );
  return found.map(({ start, end }) => ({
    offset: start,
    length: end - start,
    message:
      'this changes what other words of the command mean, so values cannot stand beside it: ' +
      'move this into a script that reads the values from its environment',
  }));
}

function redefines({ words }: SimpleCommand): boolean {
  let at = 0;
  while (
    at < words.length &&
    (PASSES.has(textOf(words[at])) || (at > 0 && textOf(words[at]).startsWith('-')))
  )
    at += 1;
  const name = textOf(words[at]);
  if (name === '.' || name === 'source') return !isFile(words[at + 1]);
  return REDEFINES.has(name);
}

/** A file of the owner may be sourced. `/dev/stdin` is a text of this script. */
function isFile(word: ShellWord | undefined): boolean {
  const path = literalText(word);
  return path !== undefined && path !== '' && path !== '-' && !/^\/(?:dev|proc)\//.test(path);
}

/** The fixed text of a word. Its expansions can come to nothing: `"$x"alias` may be `alias`. */
function textOf(word: ShellWord | undefined): string {
  return word?.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') ?? '';
}
