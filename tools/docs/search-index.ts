import MiniSearch from 'minisearch';
import type { Section } from './render.ts';

export type FoundSection = Section & { readonly id: number };

/** The last word may be incomplete: the reader is still typing it. */
function isLast(_term: string, at: number, terms: readonly string[]): boolean {
  return at === terms.length - 1;
}

/** The index of the search. The browser makes it when the reader focuses the field. */
export function searchIndex(sections: readonly Section[]): MiniSearch<FoundSection> {
  const index = new MiniSearch<FoundSection>({
    fields: ['heading', 'title', 'text'],
    storeFields: ['page', 'title', 'heading', 'anchor'],
    searchOptions: { boost: { heading: 4, title: 2 }, combineWith: 'AND', prefix: isLast },
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return index;
}
