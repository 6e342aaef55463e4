import type { ShellWord } from '../shell/script.ts';
import { takesInputAsData } from './known-data.ts';
import { LEVELS, type Level } from './level.ts';
import { type Uncertainty, wordRoles } from './operands.ts';
import {
  commandCandidates,
  type FoundReader,
  openPlace,
  placeOf,
  type ReceiverPlace,
  readerOf,
  strictest,
} from './place.ts';
import { isOwnProgram, isOwnScript, literalPrefix, literalText, programName } from './words.ts';

/** The receiver of a value that comes through the standard input of the command that begins at `start`. */
export function inputPlace(
  words: readonly ShellWord[],
  start: number,
  uncertainty: Uncertainty,
): ReceiverPlace {
  const word = words[start];
  const name = word && programName(word);
  const fix = 'give it a fixed program that reads $SVC_ARG_X';
  const here: ReceiverPlace = { ...openPlace(name ?? 'this command', LEVELS.none, start), fix };
  // `exec < FILE` gives the input to every later command.
  if (word === undefined || name === undefined || (name === 'exec' && start + 1 === words.length))
    return here;
  const found = readerOf(words, start, words.length, name);
  if (found !== undefined)
    return readerInput(found, words, uncertainty, { ...here, program: found.row.name });
  const isData = takesInputAsData(name, words.slice(start + 1)) || isOwnProgram(word);
  return { ...here, level: isData ? LEVELS.data : LEVELS.any };
}

function readerInput(
  found: FoundReader,
  words: readonly ShellWord[],
  uncertainty: Uncertainty,
  here: ReceiverPlace,
): ReceiverPlace {
  const { row, first } = found;
  const at = (level: Level): ReceiverPlace => ({ ...here, level });
  const own = words.slice(first);
  if (row.runsInput === 'always' || (row.kind === 'program' && own.some(namesInput))) return at(LEVELS.none);
  const roles = wordRoles(row, words, first, uncertainty);
  const isCertain = roles.some((role) => role.kind === 'operand' && role.before[0] >= row.operands);
  const mayRun = row.runsInput === 'unless' && !isCertain;
  if (row.kind === 'program' || row.kind === 'words') {
    const isData = takesInputAsData(row.name, own) || (row.script && isOwnScript(own[0]));
    return at(mayRun ? LEVELS.none : isData ? LEVELS.data : LEVELS.any);
  }
  if (/^g?xargs$/.test(row.name)) return addedWord(found, words, uncertainty, at(LEVELS.word));
  const inner = commandCandidates(roles, row.operands).map((index) =>
    inputPlace(words, first + index, uncertainty),
  );
  return strictest([at(mayRun ? LEVELS.none : LEVELS.any), ...inner]);
}

/** `awk -f -` reads its program from standard input. */
function namesInput(word: ShellWord): boolean {
  return /^-$|=-$|(?:^|[^-\w])\/?(?:dev\/stdin|fd\/0)$|^-\w+\/dev\/stdin$/.test(literalText(word) ?? '');
}

/** `xargs` makes words of its input. With a replacement text they can land anywhere in the command. */
function addedWord(
  { row, first }: FoundReader,
  words: readonly ShellWord[],
  uncertainty: Uncertainty,
  here: ReceiverPlace,
): ReceiverPlace {
  const replaces = (word: ShellWord) =>
    row.code.values().some((option) => literalPrefix(word).startsWith(option));
  if (words.slice(first).some(replaces))
    return { ...here, level: LEVELS.none, fix: 'put the words at the end of the command, without -I' };
  // `xargs` without a command prints its words.
  if (words.length === first) return here;
  const added: ShellWord = { start: 0, end: 0, parts: [], needsShell: false, canMultiply: false };
  return strictest([here, placeOf([...words, added], first - 1, words.length, uncertainty)]);
}
