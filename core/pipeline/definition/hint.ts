import { suggest } from '../../suggest.ts';

/** Beyond these nobody reads on, and comparing every word with every other takes its time. */
const MOST_HINTS = 20;

/** Says what a misspelt word most likely meant: `; did you mean "build"?`, or what there is. */
export type Invalidation = (word: string, candidates: readonly string[]) => string;

/** Invalidations for one answer. */
export function hints(): Invalidation {
  let left = MOST_HINTS;
  return (word, candidates) => {
    left -= 1;
    const meant = left < 0 ? undefined : suggest(word, candidates);
    if (meant !== undefined) return `; did you mean "${meant}"?`;
    if (candidates.length === 0) return '; there is none';
    const shown = candidates.slice(0, 10).join(', ');
    return `; there are ${shown}${candidates.length > 10 ? ', …' : ''}`;
  };
}
