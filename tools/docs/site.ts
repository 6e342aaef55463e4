import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '@svc/core/html/escape-html';
import type { BuiltFile } from '../web/pack.ts';
import { apiMarkdown } from './api-markdown.ts';
import { landingPage } from './landing.ts';
import { DATA_FILES, SiteLinks } from './links.ts';
import { type DocsPage, docsPages } from './pages.ts';
import { type RenderedPage, renderMarkdown, type Section, siteMarkdown } from './render.ts';

/** NOTE: joined, because the check of links takes a path below docs/ for a file of the repository. */
export const SEARCH_DATA = ['docs', 'search.json'].join('/');

/** A page with more characters of HTML than this counts as long. */
const LONG = 100_000;

/** Fonts of the dashboard, which are beside the site. */
export const FONTS = ['sans-latin-400', 'sans-latin-600', 'mono-latin-400'].map(
  (name) => `ibm-plex-${name}-normal.woff2`,
);

/** All files of the documentation site: below `docs/`, with relative links, and `llms.txt`. */
export async function siteFiles(root: string): Promise<readonly BuiltFile[]> {
  const pages = docsPages(root);
  const links = new SiteLinks(pages);
  const files: BuiltFile[] = [];
  const add = (path: string, text: string) => files.push({ path, bytes: Buffer.from(text) });
  const sections: Section[] = [];
  for (const page of pages) {
    const { rendered, markdown } = renderedPage(root, page, links);
    sections.push(...rendered.sections);
    add(`docs/${page.name}.html`, pageHtml(page, rendered, pages));
    if (page.name !== 'api') add(`docs/${page.name}.md`, markdown);
  }
  for (const file of DATA_FILES) add(`docs/${file.slice(file.lastIndexOf('/') + 1)}`, read(root, file));
  add(SEARCH_DATA, JSON.stringify(sections));
  for (const script of ['search', 'recording'])
    add(`docs/${script}.js`, await browserScript(`browser/${script}.ts`));
  add('docs/docs.css', read(root, 'web/design/tokens.css') + read(root, 'tools/docs/docs.css'));
  add('docs/icon.svg', read(root, 'web/icon.svg'));
  add('llms.txt', llmsText(root, pages));
  return files;
}

/** A page, and its Markdown for programs. */
function renderedPage(root: string, page: DocsPage, links: SiteLinks) {
  if (page.name === 'index') return landingPage(root, page, links);
  const text = read(root, page.source);
  const markdown = page.name === 'api' ? apiMarkdown(JSON.parse(text)) : text;
  return { rendered: renderMarkdown(page, markdown, links), markdown: siteMarkdown(page, markdown, links) };
}

function read(root: string, file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

async function browserScript(file: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, file)],
    target: 'browser',
    minify: true,
    throw: true,
  });
  return (await outputs[0]?.text()) ?? '';
}

function pageHtml(page: DocsPage, { html, headings }: RenderedPage, pages: readonly DocsPage[]): string {
  const title = page.name === 'index' ? 'svc: commands as HTTP endpoints' : `${page.title} · svc`;
  const description =
    page.name === 'index'
      ? 'svc turns commands into HTTP endpoints that stream their output. Install it, run it, call it.'
      : `${page.title}: ${plainAbout(page)}.`;
  const twin = page.name === 'api' ? 'openapi.json' : `${page.name}.md`;
  const onPage = headings.filter(({ depth }) => depth === 2);
  const contents =
    onPage.length < 2
      ? ''
      : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${onPage
          .map(({ text, anchor }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`)
          .join('')}</ul></nav>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="icon.svg" type="image/svg+xml">
${FONTS.map((font) => `<link rel="preload" href="../assets/${font}" as="font" type="font/woff2" crossorigin>`).join('\n')}
<link rel="stylesheet" href="docs.css">
<link rel="alternate" type="text/markdown" href="${twin}">
<script src="search.js" defer></script>${page.name === 'index' ? '<script src="recording.js" defer></script>' : ''}</head>
<body><a class="skip" href="#content">Skip to the content</a>
<header><a class="svc" href="index.html">svc <span>documentation</span></a><div class="search" id="search"></div></header>
<div class="columns"><nav class="site" aria-label="Documentation">${navigation(page, pages)}</nav>
<main id="content">${html.length > LONG ? inSections(html) : html}<footer><a href="${twin}">This page as ${page.name === 'api' ? 'OpenAPI' : 'Markdown'}</a></footer></main>
${contents}</div></body></html>
`;
}

/** Each heading with what follows, so that the browser lays out only the sections near the viewport. */
function inSections(html: string): string {
  const [first = '', ...rest] = html.split(/^(?=<h[23] )/m);
  return [first, ...rest.map((section) => `<section>${section}</section>`)].join('');
}

/** The sections fold, so that a phone shows the page and not the navigation. */
function navigation(page: DocsPage, pages: readonly DocsPage[]): string {
  const sections = Map.groupBy(
    pages.filter(({ section }) => section !== ''),
    ({ section }) => section,
  );
  return [...sections]
    .map(([section, inside]) => {
      const items = inside.map(({ name, title }) => {
        const current = name === page.name ? ' aria-current="page"' : '';
        return `<li><a href="${name}.html"${current}>${escapeHtml(title)}</a></li>`;
      });
      const open = page.section === section ? ' open' : '';
      return `<details${open}><summary>${escapeHtml(section)}</summary><ul>${items.join('')}</ul></details>`;
    })
    .join('');
}

/** The description of a page, without links. */
function plainAbout({ about }: DocsPage): string {
  return about.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

/** The same for every workspace: this file is public. */
const FOR_AGENTS =
  'An AI agent calls the endpoints of a workspace as tools at `/mcp` of this hub (Model Context Protocol), with an API key or OAuth: [AI agents](/docs/ai-agents.md).';

/** https://llmstxt.org: what there is to read, for programs that read. */
function llmsText(root: string, pages: readonly DocsPage[]): string {
  const { description } = JSON.parse(read(root, 'package.json')) as { readonly description: string };
  const sections = Map.groupBy(
    pages.filter(({ section }) => section !== ''),
    ({ section }) => section,
  );
  const text = [...sections].map(([section, inside]) => {
    const lines = inside.map((page) => {
      const file = page.name === 'api' ? 'openapi.json' : `${page.name}.md`;
      return `- [${page.title}](/docs/${file}): ${plainAbout(page)}`;
    });
    return `## ${section}\n\n${lines.join('\n')}\n`;
  });
  return `# svc\n\n> ${description}\n\n${FOR_AGENTS}\n\n${text.join('\n')}`;
}
