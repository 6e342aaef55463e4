import type { ShellWord } from '../shell/script.ts';
import type { ReaderRow } from './reader-row.ts';
import { literalPrefix, literalText, variableSetBy } from './words.ts';

/** How a value could change the meaning of the words behind it: by its absence, or by a dash that begins it. */
export type Uncertainty = (word: ShellWord) => 'absent' | 'dash' | undefined;

/** What a word of a program is, according to the program's row. `before`: how many operands may stand before it. */
export type WordRole =
  | { readonly kind: 'flag' }
  | { readonly kind: 'option-value'; readonly isCode: boolean }
  | { readonly kind: 'assignment'; readonly name: string }
  | { readonly kind: 'operand'; readonly before: readonly [least: number, max: number] };

/**
 * The roles of the words from `first` on. An option that the row does not list may or may not take the next word as its
 * value, so it makes the count of operands a range.
 */
export function wordRoles(
  row: ReaderRow,
  words: readonly ShellWord[],
  first: number,
  uncertainty: Uncertainty,
): readonly WordRole[] {
  const roles: WordRole[] = [];
  let least = 0;
  let max = 0;
  let optionsEnded = false;
  let awaits: 'nothing' | 'value' | 'code' | 'unknown' = 'nothing';
  for (const word of words.slice(first)) {
    const text = literalText(word);
    const prefix = literalPrefix(word);
    if (awaits === 'value' || awaits === 'code') {
      roles.push({ kind: 'option-value', isCode: awaits === 'code' });
      // Where the word disappears, the option takes the next one.
      awaits = word.canMultiply || uncertainty(word) !== undefined ? 'unknown' : 'nothing';
      if (word.canMultiply) max = Number.POSITIVE_INFINITY;
      continue;
    }
    if (!optionsEnded && /^[-+]/.test(prefix)) {
      roles.push(text === undefined ? attachedRole(row, prefix) : { kind: 'flag' });
      awaits = text === undefined ? 'nothing' : afterOption(row, text);
      optionsEnded = text === '--';
      continue;
    }
    const variable = row.assigns && least === 0 ? variableSetBy(prefix) : undefined;
    if (variable !== undefined) {
      roles.push({ kind: 'assignment', name: variable });
      continue;
    }
    roles.push({ kind: 'operand', before: [least, max] });
    const isCertain = awaits !== 'unknown' && uncertainty(word) === undefined && !word.canMultiply;
    awaits = 'nothing';
    if (isCertain) least += 1;
    max = word.canMultiply ? Number.POSITIVE_INFINITY : max + 1;
  }
  return roles;
}

/** The meaning of a word behind an option that stands alone. */
function afterOption(row: ReaderRow, text: string): 'nothing' | 'value' | 'code' | 'unknown' {
  if (text === '--' || row.flags.has(text)) return 'nothing';
  if (isCodeOption(row, text)) return text.includes('=') ? 'nothing' : 'code';
  if (row.options.has(text)) return 'value';
  if (text.startsWith('--') && text.includes('=')) return 'nothing';
  // `-xec` is `-x -e -c`, if the row knows all three.
  const isCluster =
    !text.startsWith('--') && [...text.slice(1)].every((letter) => row.flags.has(text.charAt(0) + letter));
  return isCluster || row.options.has(text.slice(0, 2)) ? 'nothing' : 'unknown';
}

/** A value behind the text of an option in one word: `--to={{x}}`, `-o{{x}}`. */
function attachedRole(row: ReaderRow, prefix: string): WordRole {
  if (isCodeOption(row, prefix)) return { kind: 'option-value', isCode: true };
  const name = /^--[^=]*|^-./.exec(prefix)?.[0] ?? prefix;
  return { kind: 'option-value', isCode: row.kind !== 'words' && !row.options.has(name) };
}

/** Also where a long option is cut short (`--to-com`) or a short one has its value behind it (`-ccode`). */
export function isCodeOption(row: ReaderRow, text: string): boolean {
  const name = text.split('=', 1)[0] ?? text;
  if (row.code.has(name)) return true;
  if (name.startsWith('--'))
    return name.length > 3 && row.code.values().some((code) => code.startsWith(name));
  return row.code.values().some((code) => code.length === 2 && name.startsWith(code));
}
