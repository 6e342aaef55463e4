/** The longest part of a word that is indexed: a SHA-1 in hexadecimal digits. */
const MAX_WORD_CHARS = 40;
/** Colours and other control sequences of terminals, which would become parts of words. */
// oxlint-disable-next-line no-control-regex -- the expression must match control characters
const CONTROL = /\u001b\[[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]/g;
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;

/** The distinct words of a text, in lower case: runs of letters, digits and `_`. The index and the query consist of them. */
export function searchWords(text: string): string[] {
  const found = text.replace(CONTROL, '').toLowerCase().match(WORD) ?? [];
  return [...new Set(found.map((word) => word.slice(0, MAX_WORD_CHARS).toWellFormed()))];
}

const SHOWN_CHARS = 200;
const BEFORE_CHARS = 60;

/**
 * The line to show for a search: the first that contains the text of the search, else the first with all of its words, else the
 * first with one of them. At most 200 characters around the match; undefined: no line has any.
 */
export function matchingLine(lines: Iterable<string>, query: string): string | undefined {
  const wanted = query.trim().toLowerCase();
  const words = searchWords(query);
  let best: { readonly line: string; readonly rank: number; readonly at: number } | undefined;
  for (const printed of lines) {
    const line = printed.replace(CONTROL, '');
    const lower = line.toLowerCase();
    const at = lower.indexOf(wanted);
    if (at >= 0) return around(line, at);
    const has = new Set(searchWords(line));
    const found = words.filter((word) => has.has(word));
    const rank = found.length === words.length ? 2 : found.length > 0 ? 1 : 0;
    if (rank > (best?.rank ?? 0)) best = { line, rank, at: lower.indexOf(found[0] ?? '') };
  }
  return best && around(best.line, best.at);
}

function around(line: string, at: number): string {
  const from = Math.max(0, Math.min(at - BEFORE_CHARS, line.length - SHOWN_CHARS));
  const part = line.slice(from, from + SHOWN_CHARS).toWellFormed();
  return `${from > 0 ? '…' : ''}${part}${from + SHOWN_CHARS < line.length ? '…' : ''}`;
}
