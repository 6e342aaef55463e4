import type { Script, ShellWord, SimpleCommand } from '../shell/script.ts';
import { readerOf } from './place.ts';
import { baseName, literalText, programName } from './words.ts';

/** Whether a script may run a file that it writes: it names the file again, and starts something that could run it. */
export function fileRuns({ commands, redirects }: Script): (written: ShellWord) => boolean {
  const programs = commands.map(({ words }) => fileOf(words[0]));
  const files = [
    ...commands.flatMap(({ words }) => words.slice(1)),
    ...redirects.map(({ target }) => target),
  ].map(fileOf);
  const given = new Set(files.filter((file) => file !== ''));
  const counts = Map.groupBy([...programs, ...files], (file) => file);
  const isGivenStarted = programs.some((program) => given.has(program));
  const hasRunner = isGivenStarted || commands.some(runsFiles);
  return (written) => {
    const isKnown = literalText(written) !== undefined;
    return (
      hasRunner &&
      (!isKnown || (given.has(fileOf(written)) && (counts.get(fileOf(written))?.length ?? 0) > 1))
    );
  };
}

/** The name of a file without its folders. Empty where only the run decides it. */
function fileOf(word: ShellWord | undefined): string {
  const text = (literalText(word) ?? '').replace(/^of=/, '');
  return baseName(text).toLowerCase();
}

/** Builtins whose words become code, but no file. */
const OPENS_NO_FILE =
  /^(?:set|export|readonly|local|declare|typeset|read|unset|let|getopts|!|mapfile|readarray)$/;

function runsFiles({ words }: SimpleCommand): boolean {
  const [first] = words;
  if (first === undefined) return false;
  const name = programName(first);
  if (name === undefined) return true;
  const kind = readerOf(words, 0, words.length, name)?.row.kind ?? 'words';
  return kind !== 'words' && !OPENS_NO_FILE.test(name);
}
