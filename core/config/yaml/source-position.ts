import type { Scalar } from 'yaml';

/**
 * The offset in the file of a character of a scalar's text.
 *
 * For a text that the file contains unchanged, this is a sum. In a folded, quoted or escaped text, the word at the place is
 * searched for, with the same number of earlier occurrences. Without a word, it is the start of the scalar.
 */
export function sourceOffset(scalar: Scalar, file: string, offset: number): number {
  const [start, end] = scalar.range ?? [0, 0];
  const written = file.slice(start, end);
  const text = scalar.source ?? '';
  const at = written.indexOf(text);
  if (at !== -1) return start + at + Math.min(offset, text.trimEnd().length);
  if (offset >= text.length) return start + written.trimEnd().length;
  const [word] = /^[^\s'"\\]+/.exec(text.slice(offset)) ?? [];
  if (word === undefined) return start;
  const found = occurrence(written, word, text.slice(0, offset).split(word).length);
  return found === -1 ? start : start + found;
}

function occurrence(text: string, word: string, count: number): number {
  let at = text.indexOf(word);
  for (let n = 1; n < count && at !== -1; n++) at = text.indexOf(word, at + word.length);
  return at;
}
