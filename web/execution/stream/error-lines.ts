/**
 * Words that programs write when something fails. Counts of nothing, such as "0 failed" or "no errors", are not matched.
 *
 * Most output has no mark for standard error: both streams of a command are one, unless its endpoint has `merge: false`.
 */
export const ERROR_WORDS =
  /(?<!\b(?:0|no|zero|without) )(?:(?:error|exception)s?\b|\b(?:fatal|panic|traceback|fail|failed|failures?|npm err!|segmentation fault|permission denied|command not found)(?!\w))/giu;

export function hasErrorWord(text: string): boolean {
  ERROR_WORDS.lastIndex = 0;
  return ERROR_WORDS.test(text);
}
