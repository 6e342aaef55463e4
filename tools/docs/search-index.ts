import MiniSearch, { type SearchResult } from 'minisearch';
import type { Section } from './render.ts';

type FoundSection = Section & { readonly id: number };

/** Finds sections by words of their heading, page title or text. */
export interface SectionSearch {
  /** The best results first. Sections whose heading is the query come before all others. */
  readonly find: (query: string, most: number) => readonly SearchResult[];
}

/** The last word may be incomplete: the reader is still typing it. */
function isLast(_term: string, at: number, terms: readonly string[]): boolean {
  return at === terms.length - 1;
}

/** The search of the documentation. The browser makes it when the reader focuses the field. */
export function sectionSearch(sections: readonly Section[]): SectionSearch {
  const index = new MiniSearch<FoundSection>({
    fields: ['heading', 'title', 'text'],
    storeFields: ['page', 'title', 'heading', 'anchor'],
    searchOptions: { boost: { heading: 4, title: 2 }, combineWith: 'AND', prefix: isLast },
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return {
    find(query, most) {
      const isQuery = ({ heading }: SearchResult) => sameWords(String(heading), query);
      const found = index.search(query);
      return [...found.filter(isQuery), ...found.filter((one) => !isQuery(one))].slice(0, most);
    },
  };
}

function sameWords(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
