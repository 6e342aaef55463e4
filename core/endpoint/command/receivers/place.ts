import { isSettable } from '../../environment.ts';
import type { ShellWord } from '../shell/script.ts';
import { takesAsData } from './known-data.ts';
import { LEVELS, type Level } from './level.ts';
import { type Uncertainty, type WordRole, wordRoles } from './operands.ts';
import { READERS, type ReaderRow } from './reader-row.ts';
import {
  endsOptions,
  isOwnProgram,
  isOwnScript,
  literalPrefix,
  literalText,
  programName,
  variableSetBy,
} from './words.ts';

/** The receiver of a value. */
export interface ReceiverPlace {
  readonly level: Level;
  /** The receiver's name, for messages: `sudo sh`. */
  readonly program: string;
  /** The alternative for the author. `SVC_ARG_X` stands for the variable of the argument. */
  readonly fix: string;
  /** Where the innermost program that receives the word begins. A `--` behind it protects the word from dashes. */
  readonly owner: number;
}

const NAME_FIX = 'write the name of the command and pass the value as an argument after --';

/** A place before a rule narrows it. */
export function openPlace(program: string, level: Level = LEVELS.any, owner = 0): ReceiverPlace {
  return { level, program, fix: 'let a script read $SVC_ARG_X from its environment', owner };
}

/** The receiver of a value in the word at `at` of the command that begins at `start`. */
export function placeOf(
  words: readonly ShellWord[],
  start: number,
  at: number,
  uncertainty: Uncertainty,
): ReceiverPlace {
  const word = words[start];
  const name = word && programName(word);
  const base = openPlace(name ?? 'a name that is known only at run time', LEVELS.any, start);
  if (word === undefined || name === undefined || at === start)
    return { ...base, level: LEVELS.never, fix: NAME_FIX };
  if (name === 'test' || name === '[')
    return { ...base, fix: TEST_FIX, level: testLevel(words.slice(start + 1), at - start - 1, name) };
  if (name === 'find' || name === 'gfind') return findPlace(words, at, uncertainty, base);
  if (takesAsData(name, words, start, at, uncertainty)) return { ...base, level: LEVELS.data };
  const found = readerOf(words, start, at, name);
  if (found !== undefined) return readerPlace(found, words, at, uncertainty, base);
  const hidden = hiddenInterpreter(words, start, at);
  if (hidden !== undefined) return strictest([base, placeOf(words, hidden, at, uncertainty)]);
  const passesOn = words.slice(start + 1, at).some(startsAnother);
  return isOwnProgram(word) && !passesOn ? { ...base, level: LEVELS.data } : base;
}

/** `./retry.sh ssh host {{x}}`: the owner's program may only pass its words on. */
function startsAnother(word: ShellWord): boolean {
  return (READERS.get(programName(word) ?? '')?.kind ?? 'code') !== 'code';
}

/** The row of a program, and where its own words begin. The row of a subcommand counts before that of its program. */
export interface FoundReader {
  readonly row: ReaderRow;
  readonly first: number;
}

export function readerOf(
  words: readonly ShellWord[],
  start: number,
  end: number,
  name: string,
): FoundReader | undefined {
  const names = [name, name.replace(/-?[0-9][0-9.]*$/, '')];
  const subcommands = words.slice(start + 1, end).map((word) => ` ${literalText(word)}`);
  for (const [index, suffix] of [...subcommands, ''].entries()) {
    const row = names.map((each) => READERS.get(each + suffix)).find((each) => each !== undefined);
    if (row !== undefined) return { row, first: suffix === '' ? start + 1 : start + index + 2 };
  }
  return undefined;
}

function readerPlace(
  { row, first }: FoundReader,
  words: readonly ShellWord[],
  at: number,
  uncertainty: Uncertainty,
  base: ReceiverPlace,
): ReceiverPlace {
  const here: ReceiverPlace = { ...base, program: row.name, fix: row.fix };
  const word = words[at];
  if (row.kind === 'code' || word === undefined || isBundle(row, words[first], word))
    return { ...here, level: LEVELS.none };
  const roles = wordRoles(row, words, first, uncertainty);
  const level = levelInRow(row, roles[at - first], word, words[first]);
  const place = level === undefined ? innerPlace() : { ...here, level };
  if (level === LEVELS.never) return { ...place, fix: NAME_FIX };
  const isBehindProgram = row.kind === 'program' && place.level === LEVELS.any;
  const isProtected =
    isBehindProgram || place.level === LEVELS.data || words.slice(place.owner, at).some(endsOptions);
  const mayBeOption = uncertainty(word) === 'dash' && !isProtected;
  return mayBeOption ? strictest([place, { ...here, level: LEVELS.closed }]) : place;

  /** The receiver of the word in the command that the program runs. */
  function innerPlace(): ReceiverPlace {
    const inner = commandCandidates(roles.slice(0, at - first), row.operands).map((index) =>
      placeOf(words, first + index, at, uncertainty),
    );
    const cap = { ...here, program: '', level: row.kind === 'remote' ? LEVELS.remote : LEVELS.data };
    const joined = strictest([cap, ...inner]);
    const owner = Math.max(...inner.map((each) => each.owner));
    return { ...joined, program: `${row.name} ${joined.program}`.trim(), owner };
  }
}

/** The level of a word by its role alone. Undefined where it belongs to the command that the program runs. */
function levelInRow(
  row: ReaderRow,
  role: WordRole | undefined,
  word: ShellWord,
  first: ShellWord | undefined,
): Level | undefined {
  const prefix = literalPrefix(word);
  const isWords = row.kind === 'words';
  if (role?.kind === 'option-value') {
    const variable = variableSetBy(prefix.replace(/^--[^=]*=/, ''));
    if (role.isCode || (variable !== undefined && !isWords && !isSettable(variable))) return LEVELS.none;
  }
  if (isWords) return row.assigns && choosesProgram(word) ? LEVELS.none : row.rest;
  if (role?.kind === 'assignment' && !isSettable(role.name)) return LEVELS.none;
  if (role?.kind !== 'operand') return LEVELS.word;
  const [least, max] = role.before;
  if (max < row.operands) return row.images && !prefix.includes(':') ? LEVELS.none : LEVELS.word;
  if (least <= row.operands) return row.kind === 'program' ? LEVELS.none : LEVELS.never;
  if (row.kind !== 'program') return undefined;
  // Behind an option it is uncertain which word is the script.
  return row.script && isOwnScript(first) ? LEVELS.data : row.rest;
}

/** `make CC={{x}}` and `make {{x}}=1`: the value is the name of a program, or may be. */
function choosesProgram(word: ShellWord): boolean {
  const [first, second] = word.parts;
  const isNamed = first?.kind !== 'text' && second?.kind === 'text' && second.text.startsWith('=');
  return isNamed || !isSettable(variableSetBy(literalPrefix(word)) ?? 'x');
}

/** `tar cIf {{x}}` has options without a dash. A value among such letters may be any of them: `tar -x{{x}}f`. */
function isBundle(row: ReaderRow, first: ShellWord | undefined, word: ShellWord): boolean {
  if (row.kind !== 'words' || !row.name.endsWith('tar')) return false;
  const isAmong =
    /^-[A-Za-z]*$/.test(literalPrefix(word)) || (word === first && /^\w*$/.test(literalPrefix(word)));
  return isAmong || /^[A-Za-z]*[IF]/.test(literalText(first) ?? '');
}

/** The words that may be the command behind a wrapper. */
export function commandCandidates(roles: readonly WordRole[], operands: number): readonly number[] {
  return roles.flatMap((role, index) => {
    if (role.kind !== 'operand') return [];
    const [least, max] = role.before;
    return least <= operands && operands <= max ? [index] : [];
  });
}

/** `some-wrapper --flag sh -c {{x}}`: an interpreter with an option stands in the words of an unknown program. */
function hiddenInterpreter(words: readonly ShellWord[], start: number, at: number): number | undefined {
  for (let i = start + 1; i < at; i++) {
    const word = words[i];
    const row = word && READERS.get(programName(word) ?? '');
    const isReader = row?.kind === 'program' || row?.kind === 'remote';
    if (isReader && (literalText(words[i + 1])?.startsWith('-') ?? i + 1 === at)) return i;
  }
  return undefined;
}

const EXEC = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** `find` reads its words as an expression. Behind `-exec` a command begins, which a value `;` would end. */
function findPlace(
  words: readonly ShellWord[],
  at: number,
  uncertainty: Uncertainty,
  base: ReceiverPlace,
): ReceiverPlace {
  const exec = words.findIndex((word, i) => i > base.owner && i < at && EXEC.has(literalText(word) ?? ''));
  const isOption = uncertainty(words[at] as ShellWord) === 'dash';
  // `--` ends no options of an expression: `find -- -delete` deletes.
  if (exec === -1) return { ...base, owner: at, level: isOption ? LEVELS.closed : LEVELS.any };
  return strictest([{ ...base, level: LEVELS.word }, placeOf(words, exec + 1, at, uncertainty)]);
}

const UNARY = /^-[bcdefghkLnOGNprsSuwxz]$/;
const BINARY = /^(?:==?|!=|-nt|-ot|-ef)$/;
const NUMERIC = /^-(?:eq|ne|gt|ge|lt|le)$/;
const TEST_FIX =
  'use the value in [ VALUE ], [ -f VALUE ] or [ VALUE = VALUE ], and join tests with && and ||; for numbers declare "type: integer"';

/**
 * `test` and `[` decide by the number of words and by their text (POSIX). So a value may stand only where no value changes
 * the reading: `V`, `-f V`, `V = V`, each perhaps behind `!`. Some shells evaluate the operands of `-eq`.
 */
function testLevel(words: readonly ShellWord[], at: number, name: 'test' | '['): Level {
  const negations = literalText(words[0]) === '!' ? 1 : 0;
  const rest = words.slice(negations, name === '[' && literalText(words.at(-1)) === ']' ? -1 : undefined);
  const place = at - negations;
  const [first, operator] = rest.map((word) => literalText(word) ?? '');
  if (rest.some((word) => word.canMultiply)) return LEVELS.none;
  if (rest.length === 1) return place === 0 ? LEVELS.data : LEVELS.none;
  if (rest.length === 2) return UNARY.test(first ?? '') && place === 1 ? LEVELS.data : LEVELS.none;
  if (rest.length !== 3 || place === 1) return LEVELS.none;
  if (NUMERIC.test(operator ?? '')) return LEVELS.closed;
  return BINARY.test(operator ?? '') ? LEVELS.data : LEVELS.none;
}

/** The strictest of several readings of one place. */
export function strictest(places: readonly ReceiverPlace[]): ReceiverPlace {
  return places.reduce((least, place) => (place.level <= least.level ? place : least));
}
