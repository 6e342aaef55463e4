/**
 * The form of a `word` (decision 57, values by type): it is never an option, a path out of a folder, or syntax of a
 * program.
 */
const WORD = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/;

/** Whether a value is a plain word. */
export function isWord(value: string): boolean {
  return WORD.test(value);
}
