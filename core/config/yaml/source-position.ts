import type { Scalar } from 'yaml';

/**
 * The offset in the file of one character of a scalar's text.
 *
 * A text that the file holds as it is leads there at once. In a folded, quoted or escaped one, the word at the place is
 * looked for, as many times as it stands in the text before; where there is no word, the place is the start of the scalar.
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
