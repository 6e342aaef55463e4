import { isSettable } from '../../environment.ts';
import type { Script, ShellWord, SimpleCommand } from '../shell/script.ts';
import { FileNames, fileOf } from './file-names.ts';
import { LEVELS } from './level.ts';
import { isCodeOption } from './operands.ts';
import { placeOf, readerOf } from './place.ts';
import { READERS } from './reader-row.ts';
import { literalText, programName } from './words.ts';

/** The files that a script may write and then run. */
export interface FileRuns {
  /** Whether the script may run the file behind a `>`. */
  readonly target: (written: ShellWord) => boolean;
  /** Whether a command may put its input into a file that the script runs: `tee FILE`, `sort -oFILE`, `sed 'w FILE'`. */
  readonly input: (writer: SimpleCommand) => boolean;
  /** Whether a command may load a file that the script starts: `curl -o FILE`. */
  readonly download: (loader: SimpleCommand) => boolean;
}

/** A script may run a file if it names the file again, and starts something that could run it. */
export function findFileRuns({ commands, redirects, settings }: Script): FileRuns {
  const targets = redirects.map(({ target }) => target);
  const given = [...commands.flatMap(({ words }) => words.slice(1)), ...targets].map(fileOf);
  const started = commands.map(({ words }) => fileOf(words[0]));
  const times = Map.groupBy([...given, ...started], (file) => file);
  const isAgain = (word: ShellWord) => fileOf(word) !== '' && (times.get(fileOf(word))?.length ?? 0) > 1;
  // `BASH_ENV=FILE` makes a shell run the file.
  const isSetToRun = settings.some(({ name }) => !isSettable(name));
  const runners = commands.filter(runsFiles);
  const isGiven = new Set(given);
  const hasRunner =
    isSetToRun || runners.length > 0 || started.some((file) => file !== '' && isGiven.has(file));
  const runsUnknown = runners.some(runsUnknownFile);

  const all = new FileNames();
  const starts = new FileNames();
  const runnable = new FileNames();
  for (const target of targets) all.add(target, target);
  for (const { word } of settings) all.add(word, word);
  for (const command of commands) {
    const { words } = command;
    for (const word of words.slice(1)) all.add(word, command);
    // A name without a folder is a program of the system.
    if (literalText(words[0])?.includes('/')) for (const names of [all, starts]) names.add(words[0], command);
    const isLoaded = commands.some((other) => other !== command && loads(other));
    if (isLoaded) for (const at of words.keys()) if (isRunnable(words, at)) runnable.add(words[at], command);
  }

  return {
    target: (written) =>
      hasRunner &&
      (literalText(written) === undefined ||
        runsUnknown ||
        isAgain(written) ||
        all.isElsewhere(written, written)),
    input(writer) {
      const own = writer.words.slice(1);
      if (hasRunner && own.some(isAgain)) return true;
      const isRunElsewhere =
        isSetToRun ||
        runners.some((runner) => runner !== writer) ||
        own.some((word) => starts.isElsewhere(word, writer));
      if (!isRunElsewhere) return false;
      const isOpen = writes(writer) && (runsUnknown || own.some(isUnknown));
      return isOpen || choosesNames(writer) || own.some((word) => all.isElsewhere(word, writer));
    },
    download: (loader) =>
      loads(loader) && loader.words.slice(1).some((word) => runnable.isElsewhere(word, loader)),
  };
}

/** Programs that put what they load into a file when an option says so. */
const loads = named(/^(?:curl|wget|aria2c|axel|fetch|https?)$/);
/** Programs that put their input into a file when an operand or an option says so. */
const writes = named(/^(?:tee|dd|sponge|cp|install|sort|gsort|uniq|xxd)$/);
/** Programs that choose the names of the files that they write. */
const choosesNames = named(/^g?c?split$/);

function named(names: RegExp): (command: SimpleCommand) => boolean {
  return ({ words: [first] }) => first !== undefined && names.test(programName(first) ?? '');
}

/** Whether a word is the name of what starts, or the text or the file of a program. */
function isRunnable(words: readonly ShellWord[], at: number): boolean {
  return at === 0 || placeOf(words, 0, at, () => undefined).level <= LEVELS.none;
}

/** `sh "$FILE"`, `sh *.sh`, `xargs sh`, `find . -exec sh {} +`: an interpreter runs a file whose name only the run decides. */
function runsUnknownFile({ words }: SimpleCommand): boolean {
  const isXargs = /^g?xargs$/.test((words[0] && programName(words[0])) ?? '');
  const added: ShellWord = { start: 0, end: 0, parts: [], needsShell: true, canMultiply: true };
  const all = isXargs ? [...words, added] : words;
  return all.some((word, at) => {
    if (at === 0 || !isUnknown(word)) return false;
    const { level, program } = placeOf(all, 0, at, () => undefined);
    const inner = program.split(' ').at(-1) ?? '';
    const isInterpreter = READERS.get(inner)?.kind === 'program' || /^(?:\.|source)$/.test(inner);
    return level <= LEVELS.none && isInterpreter;
  });
}

/** Whether only the run decides which file a word names. `"$DIR/run.sh"` has a name. */
function isUnknown(word: ShellWord): boolean {
  const last = word.parts.at(-1);
  if (word.canMultiply || literalText(word) === '{}') return true;
  const isExpanded = word.parts.some(({ kind }) => kind === 'expansion');
  return isExpanded && !(last?.kind === 'text' && last.text.includes('/'));
}

/** Builtins whose words become code, but no file. */
const OPENS_NO_FILE =
  /^(?:set|export|readonly|local|declare|typeset|read|unset|let|getopts|!|mapfile|readarray)$/;

function runsFiles({ words }: SimpleCommand): boolean {
  const [first] = words;
  if (first === undefined) return false;
  const name = programName(first);
  if (name === undefined) return true;
  if (/^g?find$/.test(name)) return words.some((word) => /^-(?:exec|ok)/.test(literalText(word) ?? ''));
  const found = readerOf(words, 0, words.length, name);
  if (found === undefined) return false;
  // `make -f FILE`
  const takesCode = (word: ShellWord) => isCodeOption(found.row, literalText(word) ?? '');
  if (found.row.kind === 'words') return words.slice(found.first).some(takesCode);
  return !OPENS_NO_FILE.test(name);
}
