import { escapeHtml } from '@svc/core/html/escape-html';
import { Marked, type Tokens } from 'marked';
import { slugOf } from '../markdown-links.ts';
import type { SiteLinks } from './links.ts';
import type { DocsPage } from './pages.ts';

/** A part of a page below one heading, for the search. */
export interface Section {
  readonly page: string;
  readonly title: string;
  readonly heading: string;
  readonly anchor: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly { readonly depth: number; readonly text: string; readonly anchor: string }[];
  readonly sections: readonly Section[];
}

/** Renders a document. Its anchors are those that GitHub gives, so that the links of the documents hold. */
export function renderMarkdown(page: DocsPage, markdown: string, links: SiteLinks): RenderedPage {
  const headings: RenderedPage['headings'][number][] = [];
  const seen = new Map<string, number>();
  const marked = new Marked();
  marked.use({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const slug = slugOf(text);
        const times = seen.get(slug) ?? 0;
        seen.set(slug, times + 1);
        const anchor = times === 0 ? slug : `${slug}-${times}`;
        headings.push({ depth, text: plain(text), anchor });
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const to = links.find(page.source, href, 'html');
        return to === undefined ? inner : `<a href="${escapeHtml(to)}">${inner}</a>`;
      },
      // A wide table or block scrolls by itself, also by keyboard.
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map((cell) => cellHtml(this.parser.parseInline(cell.tokens), tag)).join('')}</tr>\n`;
        const head = token.header.some(({ text }) => text !== '')
          ? `<thead>${row(token.header, 'th')}</thead>`
          : '';
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="wide" role="group" tabindex="0" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      code({ text }: Tokens.Code) {
        return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { html, headings, sections: sectionsOf(page, markdown, headings) };
}

/** A column without a name has no header cell, because a screen reader would announce an empty one. */
function cellHtml(inner: string, tag: 'th' | 'td'): string {
  const name = inner === '' ? 'td' : tag;
  return `<${name}>${inner}</${name}>`;
}

/** Markdown with the links of the site, for programs that read. */
export function siteMarkdown(page: DocsPage, markdown: string, links: SiteLinks): string {
  let isCode = false;
  return markdown
    .split('\n')
    .map((line) => {
      if (/^ {0,3}(?:`{3,}|~{3,})/.test(line)) isCode = !isCode;
      if (isCode) return line;
      return line.replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_, text: string, target: string) => {
        const to = links.find(page.source, target, 'md');
        return to === undefined ? text : `[${text}](${to})`;
      });
    })
    .join('\n');
}

/** Headings of the document in their order, each with the text until the next one. */
function sectionsOf(
  page: DocsPage,
  markdown: string,
  headings: RenderedPage['headings'],
): readonly Section[] {
  const texts: string[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') texts.push('');
    else if (texts.length > 0) texts[texts.length - 1] += `${plain(token.raw)} `;
  }
  return headings.map(({ text, anchor }, index) => ({
    page: page.name,
    title: page.title,
    heading: text,
    anchor,
    text: texts[index] ?? '',
  }));
}

/** Without the marks of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)]*\)/g, ' ')
    .replaceAll(/<a id="[^"]*"><\/a>/g, '')
    .replaceAll(/[`*|[\]]|^#+ |^-{3,}/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
