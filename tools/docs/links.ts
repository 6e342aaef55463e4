import { dirname, join, normalize } from 'node:path';
import type { DocsPage } from './pages.ts';

/** Files of the repository that the site has as they are, because pages link to them. */
export const DATA_FILES = ['docs/reference/openapi.json', 'docs/reference/svc.schema.json'] as const;

/** Finds where a link of a document leads on the site. */
export class SiteLinks {
  readonly #names: ReadonlyMap<string, string>;

  constructor(pages: readonly DocsPage[]) {
    this.#names = new Map(pages.map(({ source, name }) => [source, name]));
  }

  /** Undefined for a file of the repository that the site does not have. */
  find(source: string, target: string, ending: 'html' | 'md'): string | undefined {
    if (/^[a-z][a-z+.-]*:/i.test(target) || target.startsWith('#')) return target;
    const [path = '', anchor] = target.split('#');
    const to = normalize(join(dirname(source), path));
    const name = this.#names.get(to);
    const suffix = anchor === undefined ? '' : `#${anchor}`;
    // A link in Markdown leads to the OpenAPI document, a link in HTML to the page made from it.
    if (name === 'api') return ending === 'html' ? `api.html${suffix}` : 'openapi.json';
    if (name !== undefined) return `${name}.${ending}${suffix}`;
    const data = DATA_FILES.find((file) => file === to);
    return data === undefined ? undefined : data.slice(data.lastIndexOf('/') + 1);
  }
}
