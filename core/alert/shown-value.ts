import { visibleText } from '../text/visible-text.ts';

/** The characters at which mail and chat clients recognize addresses. */
const LINKABLE = /(?<=[.:/@])(?=\S)/gu;
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * A value as one line in which every character is visible; a cut is marked.
 *
 * @param mostChars of the shown text, after `escaping`
 */
export function shownValue(
  value: string,
  mostChars: number,
  escaping: (text: string) => string = (text) => text,
): string {
  const characters = [...value];
  const first = (count: number) => characters.slice(0, count).join('');
  const show = (count: number) => escaping(visibleText(first(count)));
  const fits = largest(characters.length, (count) => show(count).length <= mostChars);
  const missing = value.length - first(fits).length;
  return missing === 0 ? show(fits) : `${show(fits)} … (${missing} more characters)`;
}

/** A text that no mail client turns into a link, even if it looks like an address (decision 35, an approval is frozen). */
export function unlinked(text: string): string {
  return text.replaceAll(LINKABLE, ZERO_WIDTH_SPACE);
}

/**
 * The largest number up to `most` with the property. The property must hold for 0, and for all numbers below one that has
 * it.
 */
function largest(max: number, fits: (count: number) => boolean): number {
  if (fits(max)) return max;
  let [low, high] = [0, max];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
