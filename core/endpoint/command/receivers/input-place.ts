import type { ShellWord, SimpleCommand } from '../shell/script.ts';
import { takesInputAsData } from './known-data.ts';
import { LEVELS } from './level.ts';
import { type Uncertainty, wordRoles } from './operands.ts';
import {
  candidates,
  type FoundReader,
  openPlace,
  type Place,
  placeOf,
  readerOf,
  startsScript,
  strictest,
} from './place.ts';
import { isOwnProgram, literalText, programName } from './words.ts';

const FIX = 'give it a fixed program that reads $SVC_ARG_X';

/** What receives a value that comes through the standard input of a command. */
export function inputPlace({ words }: SimpleCommand, uncertainty: Uncertainty): Place {
  return inputOf(words, 0, uncertainty);
}

function inputOf(words: readonly ShellWord[], start: number, uncertainty: Uncertainty): Place {
  const word = words[start];
  const name = word && programName(word);
  const base: Place = { ...openPlace(name ?? 'this command', start), fix: FIX };
  if (word === undefined || name === undefined) return { ...base, level: LEVELS.none };
  // `exec < FILE` gives the input to every later command.
  if (name === 'exec' && start + 1 === words.length) return { ...base, level: LEVELS.none };
  const found = readerOf(words, start, words.length, name);
  if (found === undefined)
    return { ...base, known: takesInputAsData(name, words.slice(start + 1)) || isOwnProgram(word) };
  return readerInput(found, words, uncertainty, { ...base, program: found.name });
}

function readerInput(
  { row, name, first }: FoundReader,
  words: readonly ShellWord[],
  uncertainty: Uncertainty,
  here: Place,
): Place {
  const readsItself = row.kind === 'program' && words.slice(first).some(namesInput);
  if (row.runsInput === 'always' || readsItself) return { ...here, level: LEVELS.none };
  const roles = wordRoles(row, words, first, uncertainty);
  const certain = roles.some((role) => role.kind === 'operand' && role.before[0] >= row.operands);
  if (row.kind === 'program' || row.kind === 'words') {
    if (row.runsInput === 'unless' && !certain) return { ...here, level: LEVELS.none };
    return { ...here, known: takesInputAsData(name, words.slice(first)) || startsScript(row, words[first]) };
  }
  if (/^g?xargs$/.test(name)) return addedWord(row.code, words, first, uncertainty, here);
  const inner = candidates(roles, row.operands).map((index) => inputOf(words, first + index, uncertainty));
  const missing = !certain && row.runsInput === 'unless' ? [{ ...here, level: LEVELS.none }] : [];
  return strictest([here, ...missing, ...inner]);
}

/** `awk -f -` reads its program from standard input. */
function namesInput(word: ShellWord): boolean {
  return /^-$|=-$|(?:^|[^-\w])\/?(?:dev\/stdin|fd\/0)$|^-\w+\/dev\/stdin$/.test(literalText(word) ?? '');
}

/** `xargs` makes words of its input. With a replacement text they can land anywhere in the command. */
function addedWord(
  replaces: ReadonlySet<string>,
  words: readonly ShellWord[],
  first: number,
  uncertainty: Uncertainty,
  here: Place,
): Place {
  const options = words.slice(first).map((word) => literalText(word) ?? '');
  const isReplaced = options.some((text) => [...replaces].some((option) => text.startsWith(option)));
  if (isReplaced)
    return { ...here, level: LEVELS.none, fix: 'put the words at the end of the command, without -I' };
  const added: ShellWord = { start: 0, end: 0, parts: [], needsShell: false, canMultiply: false };
  const place = placeOf([...words, added], first - 1, words.length, uncertainty);
  // `xargs` without a command prints its words.
  if (words.length === first) return { ...here, level: LEVELS.word };
  return strictest([{ ...here, level: LEVELS.word }, place]);
}
