/**
 * The candidate that a misspelt word most likely means; undefined if none is close.
 *
 * Close means at most one slip in a word of up to four letters, two in a word of up to eight, and three in a longer one. A
 * slip is an extra, missing, wrong or swapped letter.
 */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  const allowed = word.length <= 4 ? 1 : word.length <= 8 ? 2 : 3;
  let best: string | undefined;
  let fewest = allowed + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > allowed) continue;
    const slips = slipsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (slips < fewest && slips < candidate.length) {
      best = candidate;
      fewest = slips;
    }
  }
  return best;
}

/** The Damerau-Levenshtein distance, optimal string alignment: each letter moves at most once. */
function slipsBetween(a: string, b: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, at(older, j - 2) + 1);
      row.push(least);
    }
    older = previous;
    previous = row;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
