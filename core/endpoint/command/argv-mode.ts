import type { Piece, Word } from '../program.ts';
import { literalText } from './receivers/words.ts';
import type { ScriptReading } from './shell/read-script.ts';
import type { ShellWord, WordPart } from './shell/script.ts';

/** Commands that only a shell has, or that mean little outside it. */
const SHELL_COMMANDS: ReadonlySet<string> = new Set(
  [
    ': . alias bg bind break builtin caller cd command continue coproc declare dirs disown enable eval exec exit export fc fg',
    'getopts hash help history jobs let local logout mapfile popd pushd read readarray readonly return set shift shopt source',
    'suspend time times trap type typeset ulimit umask unalias unset wait',
  ].flatMap((line) => line.split(' ')),
);

/** The words of a command that needs no shell, or undefined when it does (decision 6). */
export function argvWords({ script, stopped }: ScriptReading): readonly ShellWord[] | undefined {
  const [command, another] = script.commands;
  if (stopped !== undefined || !script.isPlain || command === undefined || another !== undefined)
    return undefined;
  if (command.words.some((word) => word.needsShell)) return undefined;
  return SHELL_COMMANDS.has(literalText(command.words[0]) ?? '') ? undefined : command.words;
}

/** A word as programs have it; what only a shell can know of it is left out. */
export function programWord(word: ShellWord, afterDashes: boolean): Word {
  return { pieces: word.parts.filter(isPiece), afterDashes };
}

function isPiece(part: WordPart): part is Piece {
  return part.kind !== 'expansion';
}
