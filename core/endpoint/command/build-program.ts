import { argumentVariable } from '../argument-name.ts';
import type { DeclaredArgument } from '../definition.ts';
import type { Program, Word } from '../program.ts';
import { secretVariable } from '../secret-name.ts';
import { canBeAbsent } from '../value/resolve-values.ts';
import { literalText } from './receivers/words.ts';
import type { ScriptReading } from './shell/read-script.ts';
import type { Script, ShellWord } from './shell/script.ts';

/** The program that a text becomes: words for the system, or a text for `/bin/sh` (decision 6, two modes of a command). */
export function buildProgram(
  reading: ScriptReading,
  text: string,
  args: readonly DeclaredArgument[],
  isAfterDashes: (word: ShellWord) => boolean,
): Program {
  const { script } = reading;
  const named = script.values.filter((use) => use.kind === 'secret').map(({ name }) => name);
  const secrets = [...new Set(named)].sort();
  /** A word as programs have it; what only a shell can know of it is left out. */
  const programWord = (word: ShellWord): Word => {
    return {
      pieces: word.parts.filter((part) => part.kind !== 'expansion'),
      afterDashes: isAfterDashes(word),
    };
  };
  const argv = argvWords(reading);
  if (argv !== undefined) return { mode: 'argv', words: argv.map(programWord), secrets };
  const words = script.valueWords
    .map(({ word }) => programWord(word))
    .filter((word) => word.pieces.some((piece) => piece.kind !== 'text'));
  return { mode: 'shell', text: rewriteForShell(script, text, args), words, secrets };
}

/** Commands that only a shell has, or that mean little outside it. */
const SHELL_COMMANDS: ReadonlySet<string> = new Set(
  [
    ': . alias bg bind break builtin caller cd command continue coproc declare dirs disown enable eval exec exit export fc fg',
    'getopts hash help history jobs let local logout mapfile popd pushd read readarray readonly return set shift shopt source',
    'suspend time times trap type typeset ulimit umask unalias unset wait',
  ].flatMap((line) => line.split(' ')),
);

/** The words of a command that needs no shell, or undefined when it does. */
export function argvWords({ script, stopped }: ScriptReading): readonly ShellWord[] | undefined {
  const [command, another] = script.commands;
  if (stopped !== undefined || !script.isPlain || another !== undefined) return undefined;
  if (command === undefined || command.words.some((word) => word.needsShell)) return undefined;
  return SHELL_COMMANDS.has(literalText(command.words[0]) ?? '') ? undefined : command.words;
}

/**
 * The text for `/bin/sh -c`: each placeholder becomes an expansion of its variable, always inside double quotes, so that
 * no shell splits it, matches files with it or reads it again.
 *
 * An argument that can be absent is expanded with `-`, so that `set -u` does not stop the command; where a word is only
 * its placeholder, with `+`, so that the word disappears.
 */
function rewriteForShell(script: Script, text: string, args: readonly DeclaredArgument[]): string {
  const absent = new Set(args.filter(canBeAbsent).map((argument) => argument.name));
  const vanishing = new Set(
    script.valueWords.flatMap(({ word: { parts, start }, canVanish }) => {
      const [only, more] = parts;
      const isAbsent = more === undefined && only?.kind === 'argument' && absent.has(only.name);
      return canVanish && isAbsent ? start : [];
    }),
  );
  let rewritten = '';
  let at = 0;
  for (const use of [...script.values].sort((a, b) => a.start - b.start)) {
    const isArgument = use.kind === 'argument';
    const variable = isArgument ? argumentVariable(use.name) : secretVariable(use.name);
    const expanded = isArgument && absent.has(use.name) ? `\${${variable}-}` : `\${${variable}}`;
    const quoted = { bare: `"${expanded}"`, double: expanded, single: `'"${expanded}"'` }[use.quote];
    const isWord = vanishing.has(use.start);
    rewritten += text.slice(at, use.start) + (isWord ? `\${${variable}+"\${${variable}}"}` : quoted);
    at = use.end;
  }
  rewritten += text.slice(at);
  // A shell would take a text that begins so for its own options.
  return /^[-+]/.test(rewritten) ? ` ${rewritten}` : rewritten;
}
