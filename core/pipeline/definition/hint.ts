import { suggest } from '../../suggest.ts';

/** Longer lists do not help a reader, and comparing every word with every candidate takes time. */
const MAX_HINTS = 20;

/** The likely meaning of a misspelt word, `; did you mean "build"?`, or the known words. */
export type SpellingHint = (word: string, candidates: readonly string[]) => string;

/** The hints for one answer. */
export function spellingHints(): SpellingHint {
  let left = MAX_HINTS;
  return (word, candidates) => {
    left -= 1;
    const meant = left < 0 ? undefined : suggest(word, candidates);
    if (meant !== undefined) return `; did you mean "${meant}"?`;
    if (candidates.length === 0) return '; there is none';
    const shown = candidates.slice(0, 10).join(', ');
    return `; there are ${shown}${candidates.length > 10 ? ', …' : ''}`;
  };
}
