import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Section } from './render.ts';
import { sectionSearch } from './search-index.ts';
import { FONTS, SEARCH_DATA, siteFiles } from './site.ts';

const ROOT = join(import.meta.dir, '../..');
/** What a reader sees without scrolling. */
const FIRST_RESULTS = 5;

const texts = new Map<string, string>();
beforeAll(async () => {
  for (const { path, bytes } of await siteFiles(ROOT)) texts.set(path, Buffer.from(bytes).toString());
});

const pages = () => [...texts].filter(([path]) => path.endsWith('.html'));
const anchorsOf = (html: string) => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));

test('every document is a page, in the navigation and in llms.txt, with its Markdown', () => {
  const names = [...new Bun.Glob('docs/**/*.md').scanSync(ROOT)].map((file) =>
    file === 'docs/README.md' ? 'index' : (file.split('/').at(-1) ?? '').replace(/\.md$/, '').toLowerCase(),
  );
  expect(names.length).toBeGreaterThan(30);
  expect(new Set(names).size).toBe(names.length);
  expect(texts.get('llms.txt')).toContain('as tools at `/mcp`');
  const index = texts.get('docs/index.html') ?? '';
  for (const name of names) {
    expect([...texts.keys()]).toContain(`docs/${name}.html`);
    expect(texts.get(`docs/${name}.md`)).toStartWith('# ');
    if (name === 'index') continue;
    expect(index).toContain(`<li><a href="${name}.html">`);
    expect(texts.get('llms.txt')).toContain(`(/docs/${name}.md)`);
  }
});

test('no link of a page or of its Markdown leads nowhere', () => {
  const anchors = new Map(pages().map(([path, html]) => [path, anchorsOf(html)]));
  const dead: string[] = [];
  let checked = 0;
  for (const [path, html] of pages()) {
    for (const [, target = ''] of html.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(target) || FONTS.some((font) => target === `../assets/${font}`)) continue;
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? path : `docs/${file}`;
      checked += 1;
      if (!texts.has(to)) dead.push(`${path}: ${target}`);
      else if (anchor !== undefined && !anchors.get(to)?.has(anchor)) dead.push(`${path}: ${target}`);
    }
  }
  for (const [path, text] of texts)
    if (path.endsWith('.md'))
      for (const [link, target = ''] of text
        .replaceAll(/^ {0,3}```[\s\S]*?^ {0,3}```/gm, '')
        .matchAll(/\]\(([\w.-]+\.(?:md|json))(?:#[^)]*)?\)/g))
        if (!texts.has(`docs/${target}`)) dead.push(`${path}: ${link}`);
  expect(dead).toEqual([]);
  expect(checked).toBeGreaterThan(2_000);
});

test('the search finds the section of every heading among its first five results', () => {
  const sections = JSON.parse(texts.get(SEARCH_DATA) ?? '') as Section[];
  const search = sectionSearch(sections);
  const headings = pages().flatMap(([, html]) => [...html.matchAll(/<h[1-6] id=/g)]).length;
  expect(sections.length).toBe(headings);
  const missed = sections.filter(({ heading, page, anchor }) => {
    const results = search.find(heading, FIRST_RESULTS);
    return !results.some((found) => found.page === page && found.anchor === anchor);
  });
  expect(missed.map(({ page, heading }) => `${page}: ${heading}`)).toEqual([]);
});

test('pages have no script or style of their own, so the policy of the hub lets all of them work', () => {
  for (const [path, html] of pages()) {
    expect([
      path,
      html.match(/<script(?! src="(?:search|recording)\.js" defer><\/script>)|<style|\sstyle=|\son\w+="/g),
    ]).toEqual([path, null]);
  }
});

test('every page says in one sentence what it is about, for search engines', () => {
  const descriptions = pages().map(
    ([, html]) => /<meta name="description" content="([^"]+)">/.exec(html)?.[1],
  );
  expect(descriptions.filter((text) => text === undefined || !/^\S.{20,200}\.$/.test(text))).toEqual([]);
});

test('no table has a header cell without text', () => {
  expect(
    pages()
      .filter(([, html]) => html.includes('<th></th>'))
      .map(([path]) => path),
  ).toEqual([]);
  expect(texts.get('docs/scaling.html')).toContain('<tr><td></td><th>');
});

test('the page of the API has every route and every object', async () => {
  const api = await Bun.file(join(ROOT, 'docs/reference/openapi.json')).json();
  const html = texts.get('docs/api.html') ?? '';
  const operations = Object.values<Record<string, { summary?: string }>>(api.paths).flatMap((item) =>
    Object.values(item),
  );
  const summaries = operations.flatMap(({ summary }) => summary ?? []);
  expect(summaries.length).toBeGreaterThan(100);
  const headings = new Set(
    [...html.matchAll(/<h3 id="[^"]+">(.+?)<\/h3>/g)].map(([, text = '']) =>
      text.replaceAll(/<\/?code>/g, '`'),
    ),
  );
  expect(summaries.filter((summary) => !headings.has(Bun.escapeHTML(summary)))).toEqual([]);
  expect(Object.keys(api.components.schemas).filter((name) => !headings.has(name))).toEqual([]);
});
