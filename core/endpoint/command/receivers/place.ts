import { isSettable } from '../../environment.ts';
import type { ShellWord } from '../shell/script.ts';
import { takesAsData } from './known-data.ts';
import { LEVELS, type Level } from './level.ts';
import { type Uncertainty, type WordRole, wordRoles } from './operands.ts';
import { READERS, type ReaderRow } from './reader-row.ts';
import { testPlace } from './test-place.ts';
import {
  isOwnProgram,
  isOwnScript,
  literalPrefix,
  literalText,
  programName,
  variableSetBy,
} from './words.ts';

/** What receives a value. */
export interface Place {
  readonly level: Level;
  /** The receiver is known to take any text as data. */
  readonly known: boolean;
  /** Who receives it, for messages: `sudo sh`. */
  readonly program: string;
  /** What to write instead. `SVC_ARG_X` stands for the variable of the argument. */
  readonly fix: string;
  /** No type opens this place: the value would be the name of a command. */
  readonly never: boolean;
  /** Where the innermost program that receives the word begins. A `--` behind it protects the word from dashes. */
  readonly owner: number;
}

const NAME_FIX = 'write the name of the command and pass the value as an argument after --';

/** A place that takes any text, before a rule narrows it. */
export function openPlace(program: string, owner = 0): Place {
  const fix = 'let a script read $SVC_ARG_X from its environment';
  return { level: LEVELS.any, known: false, program, fix, never: false, owner };
}

/** What receives a value in the word at `at` of the command that begins at `start`. */
export function placeOf(
  words: readonly ShellWord[],
  start: number,
  at: number,
  uncertainty: Uncertainty,
): Place {
  const word = words[start];
  const name = word && programName(word);
  const base = openPlace(name ?? 'a name that is known only at run time', start);
  if (word === undefined || name === undefined || at === start)
    return { ...base, level: LEVELS.none, fix: NAME_FIX, never: true };
  if (name === 'test' || name === '[')
    return { ...base, ...testPlace(words.slice(start + 1), at - start - 1, name) };
  if (name === 'find' || name === 'gfind') return findPlace(words, at, uncertainty, base);
  if (takesAsData(name, words, start, at, uncertainty)) return { ...base, known: true };
  const found = readerOf(words, start, at, name);
  if (found !== undefined) return readerPlace(found, words, at, uncertainty, base);
  const hidden = hiddenInterpreter(words, start, at);
  if (hidden !== undefined) return strictest([base, placeOf(words, hidden, at, uncertainty)]);
  if (isOwnProgram(word)) return { ...base, known: !words.slice(start + 1, at).some(startsAnother) };
  return base;
}

/** `./retry.sh ssh host {{x}}`: the owner's program may only pass its words on. */
function startsAnother(word: ShellWord): boolean {
  return (READERS.get(programName(word) ?? '')?.kind ?? 'code') !== 'code';
}

/** The row of a program, and where its own words begin. The row of a subcommand counts before that of its program. */
export interface FoundReader {
  readonly row: ReaderRow;
  readonly name: string;
  readonly first: number;
}

export function readerOf(
  words: readonly ShellWord[],
  start: number,
  end: number,
  name: string,
): FoundReader | undefined {
  const names = [name, name.replace(/-?[0-9][0-9.]*$/, '')];
  const subcommands = words.slice(start + 1, end).map((word, index) => ({
    first: start + index + 2,
    suffix: ` ${literalText(word)}`,
  }));
  for (const { suffix, first } of [...subcommands, { suffix: '', first: start + 1 }]) {
    const key = names.map((each) => each + suffix).find((each) => READERS.has(each));
    const row = READERS.get(key ?? '');
    if (key !== undefined && row !== undefined) return { row, name: key, first };
  }
  return undefined;
}

function readerPlace(
  { row, name, first }: FoundReader,
  words: readonly ShellWord[],
  at: number,
  uncertainty: Uncertainty,
  base: Place,
): Place {
  const here: Place = { ...base, program: name, fix: row.fix };
  const word = words[at];
  if (row.kind === 'code' || word === undefined || isBundle(row, name, words[first]))
    return { ...here, level: LEVELS.none };
  const roles = wordRoles(row, words, first, uncertainty);
  const place = atRole(here, row, roles, words, first, at, uncertainty);
  const isBehindProgram = row.kind === 'program' && place.level === LEVELS.any;
  const isProtected = isBehindProgram || place.known || words.slice(place.owner, at).some(endsOptions);
  const mayBeOption = uncertainty(word) === 'dash' && !isProtected;
  return mayBeOption ? strictest([place, { ...here, level: LEVELS.closed }]) : place;
}

function atRole(
  here: Place,
  row: ReaderRow,
  roles: readonly WordRole[],
  words: readonly ShellWord[],
  first: number,
  at: number,
  uncertainty: Uncertainty,
): Place {
  const role = roles[at - first];
  const prefix = literalPrefix(words[at] as ShellWord);
  if (role?.kind === 'option-value') {
    const variable = variableSetBy(prefix.replace(/^--[^=]*=/, ''));
    const isCode = role.isCode || (variable !== undefined && row.kind !== 'words' && !isSettable(variable));
    if (!isCode && row.kind !== 'words') return { ...here, level: LEVELS.word };
    if (isCode) return { ...here, level: LEVELS.none };
  }
  if (row.kind === 'words') {
    return { ...here, level: row.assigns && choosesProgram(words[at] as ShellWord) ? LEVELS.none : row.rest };
  }
  if (role?.kind === 'assignment')
    return { ...here, level: isSettable(role.name) ? LEVELS.word : LEVELS.none };
  if (role?.kind !== 'operand') return { ...here, level: LEVELS.word };
  const [least, most] = role.before;
  if (most < row.operands)
    return { ...here, level: row.images && !prefix.includes(':') ? LEVELS.none : LEVELS.word };
  if (least <= row.operands)
    return { ...here, level: LEVELS.none, ...(row.kind === 'program' ? {} : { never: true, fix: NAME_FIX }) };
  if (row.kind === 'program')
    return startsScript(row, words[first]) ? { ...here, known: true } : { ...here, level: row.rest };
  const inner = candidates(roles.slice(0, at - first), row.operands).map((index) =>
    placeOf(words, first + index, at, uncertainty),
  );
  const cap = {
    ...here,
    program: '',
    level: row.kind === 'remote' ? LEVELS.remote : LEVELS.any,
    known: row.kind !== 'remote',
  };
  const joined = strictest([cap, ...inner]);
  return {
    ...joined,
    program: `${here.program} ${joined.program}`.trim(),
    owner: Math.max(...inner.map(({ owner }) => owner)),
  };
}

/** `make CC={{x}}` and `make {{x}}=1`: the value is the name of a program, or may be. */
function choosesProgram(word: ShellWord): boolean {
  const [first, second] = word.parts;
  const isNamed = first?.kind !== 'text' && second?.kind === 'text' && second.text.startsWith('=');
  return isNamed || !isSettable(variableSetBy(literalPrefix(word)) ?? 'x');
}

/** `python3 tool.py` starts a program of the owner. Behind an option it is uncertain which word that is. */
export function startsScript(row: ReaderRow, word: ShellWord | undefined): boolean {
  return row.script && word !== undefined && isOwnScript(word);
}

function endsOptions(word: ShellWord): boolean {
  return literalText(word) === '--';
}

/** `tar cIf {{x}}` has options without a dash. */
function isBundle(row: ReaderRow, name: string, first: ShellWord | undefined): boolean {
  return row.kind === 'words' && name.endsWith('tar') && /^[A-Za-z]*[IF]/.test(literalText(first) ?? '');
}

/** The words that may be the command behind a wrapper. */
export function candidates(roles: readonly WordRole[], operands: number): readonly number[] {
  return roles.flatMap((role, index) => {
    if (role.kind !== 'operand') return [];
    const [least, most] = role.before;
    return least <= operands && operands <= most ? [index] : [];
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
function findPlace(words: readonly ShellWord[], at: number, uncertainty: Uncertainty, base: Place): Place {
  const exec = words.findIndex((word, i) => i > base.owner && i < at && EXEC.has(literalText(word) ?? ''));
  const isOption = uncertainty(words[at] as ShellWord) === 'dash';
  // `--` ends no options of an expression: `find -- -delete` deletes.
  if (exec === -1) return { ...base, owner: at, ...(isOption ? { level: LEVELS.closed } : {}) };
  return strictest([{ ...base, level: LEVELS.word }, placeOf(words, exec + 1, at, uncertainty)]);
}

/** The strictest of several readings of one place. */
export function strictest(places: readonly Place[]): Place {
  const [first, ...others] = places;
  if (first === undefined) throw new Error('a place needs at least one reading');
  const found = others.reduce((least, place) => (place.level <= least.level ? place : least), first);
  const never = places.some((place) => place.never && place.level === found.level);
  return { ...found, known: places.every((place) => place.known), never };
}
