/**
 * What programs write when something fails. Counts of nothing, such as "0 failed" or "no errors", are not matched.
 *
 * Output has no mark of its own for standard error: both streams of a command are one, in the order of writing.
 */
export const ERROR_WORDS =
  /(?<!\b(?:0|no|zero|without) )(?:(?:error|exception)s?\b|\b(?:fatal|panic|traceback|fail|failed|failures?|npm err!|segmentation fault|permission denied|command not found)(?!\w))/giu;

export function hasErrorWord(text: string): boolean {
  ERROR_WORDS.lastIndex = 0;
  return ERROR_WORDS.test(text);
}
