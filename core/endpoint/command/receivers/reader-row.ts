import { LEVELS, type Level } from './level.ts';
import { TABLE } from './reader-table.ts';

/** How a program reads its words, as far as a value in them could become code (decision 57, values by type). */
export interface ReaderRow {
  /** The name of the program, or of the program and its subcommand. */
  readonly name: string;
  /**
   * - `command`: it runs the command behind its operands, as `sudo` does.
   * - `remote`: the same, by a shell that parses the words again, as `ssh` does.
   * - `program`: the operand behind `operands` is a program's text or file, as for `python`.
   * - `code`: every word can become code, as for `eval`.
   * - `words`: only some options take code, as for `tar`.
   */
  readonly kind: 'command' | 'remote' | 'program' | 'code' | 'words';
  /** How many operands stand before the command or the program. */
  readonly operands: number;
  /** Options without a value. An option in no list makes the words behind it uncertain, and the rules then refuse more. */
  readonly flags: ReadonlySet<string>;
  /** Options whose next word is their value. */
  readonly options: ReadonlySet<string>;
  /** Options whose value is code. */
  readonly code: ReadonlySet<string>;
  /** The places of the words behind a program, or of all words of `words`. */
  readonly rest: Level;
  /** `NAME=value` words may stand before the command. */
  readonly assigns: boolean;
  /** The program is a file of the owner where it stands directly behind the name: `python3 tool.py`. */
  readonly script: boolean;
  /** The operands are images, whose name must be fixed up to a `:`. */
  readonly images: boolean;
  /** When the standard input is a program: `unless` the words hold one, `always`, or `never`. */
  readonly runsInput: 'unless' | 'always' | 'never';
  /** The alternative for the author. */
  readonly fix: string;
}

const DEFAULT_INPUT: Readonly<Record<string, string>> = { program: 'unless', code: 'always' };

/** The rows of `reader-table.ts` by the name of the program, or of the program and its subcommand: `docker exec`. */
export const READERS: ReadonlyMap<string, ReaderRow> = new Map(TABLE.trim().split('\n').flatMap(readLine));

function readLine(line: string): [string, ReaderRow][] {
  const [names = '', ...cells] = line.split('|').map((cell) => cell.trim());
  const [kind, ...programs] = names.split(' ');
  const cell = new Map(
    cells.map((text): [string, string] => [text.split(' ', 1)[0] ?? '', text.replace(/^\S+ ?/, '')]),
  );
  const options = (name: string) =>
    new Set((cell.get(name) ?? '').split(' ').filter((option) => option !== ''));
  const row = {
    kind: kind as ReaderRow['kind'],
    operands: Number(cell.get('operands') ?? 0),
    flags: options('flags'),
    options: options('options'),
    code: options('code'),
    rest: LEVELS[(cell.get('rest') ?? 'any') as keyof typeof LEVELS],
    assigns: cell.has('assigns'),
    script: cell.has('script'),
    images: cell.has('images'),
    runsInput: (cell.get('input') ?? DEFAULT_INPUT[kind ?? ''] ?? 'never') as ReaderRow['runsInput'],
    fix: cell.get('fix') ?? 'let a script read $SVC_ARG_X from its environment',
  };
  return programs.map((program) => program.replaceAll('_', ' ')).map((name) => [name, { name, ...row }]);
}
