import { readFileSync } from 'node:fs';
import { basename, join, normalize } from 'node:path';

/** A page of the documentation site. */
export interface DocsPage {
  /** `docs/guides/files.md`, or the OpenAPI document. */
  readonly source: string;
  /** The name of its file: `files` for `files.html` and `files.md`. */
  readonly name: string;
  readonly title: string;
  /** What it answers, in Markdown; empty for the first page. */
  readonly about: string;
  readonly section: string;
}

export const INDEX = 'docs/README.md';
const OPENAPI = 'docs/reference/openapi.json';
const ROW = /^\| \[[^\]]*\]\(([^)]+)\)(?:, \[[^\]]*\]\(([^)]+)\))? \| (.+) \|$/;
const HISTORY: DocsPage = {
  source: 'CHANGELOG.md',
  name: 'changelog',
  title: 'Changelog',
  about: 'what changed, by version',
  section: 'I run a hub, agents or hosts',
};

/** The pages in the order of docs/README.md, whose tables are the navigation. */
export function docsPages(root: string): readonly DocsPage[] {
  const pages: DocsPage[] = [{ source: INDEX, name: 'index', title: 'svc', about: '', section: '' }];
  let section = '';
  for (const line of readFileSync(join(root, INDEX), 'utf8').split('\n')) {
    section = /^## (.+)$/.exec(line)?.[1] ?? section;
    const [, first, second, about = ''] = ROW.exec(line) ?? [];
    for (const target of [first, second])
      if (target !== undefined) pages.push(pageOf(root, normalize(join('docs', target)), { section, about }));
  }
  return [...pages, HISTORY];
}

function pageOf(
  root: string,
  source: string,
  { section, about }: Pick<DocsPage, 'section' | 'about'>,
): DocsPage {
  if (source === OPENAPI) return { source, name: 'api', title: 'API', section, about };
  const heading = /^# (.+)$/m.exec(readFileSync(join(root, source), 'utf8'))?.[1];
  if (heading === undefined) throw new Error(`${source}: a heading expected`);
  const name = basename(source, '.md').toLowerCase();
  return { source, name, title: heading.replaceAll('`', ''), section, about };
}
