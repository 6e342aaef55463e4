import { escapeHtml } from '@svc/core/html/escape-html';
import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';
import { PAGE_FILES } from './page-files.ts';
import { PAGE_HEADS, type PageHead } from './page-heads.ts';

/**
 * Adds preload links to the page for the fonts of the first view and for its chunks, which `start.ts` runs in this order.
 */
export function preloads(fonts: RegExp): Plugin {
  return {
    name: 'svc:preloads',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const built = Object.values(bundle ?? {});
        const chunks = new Map(
          built.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])),
        );
        const main = [...chunks.values()].find((one) => one.name === 'main' && one.isEntry);
        if (main === undefined) throw new Error('the build has no main script');
        const scripts = withImports(main.fileName, chunks);
        const files = built.map(({ fileName }) => fileName).filter((fileName) => fonts.test(fileName));
        return [
          ...scripts.map((fileName) =>
            linkTo(fileName, {
              rel: 'modulepreload',
              ...(fileName === main.fileName && { 'data-main': '' }),
            }),
          ),
          ...files.map((fileName) => linkTo(fileName, { rel: 'preload', as: 'font', type: 'font/woff2' })),
        ];
      },
    },
  };
}

/**
 * A chunk and its static imports, transitively, each after those that it imports. In this order each file that `start.ts` runs is a task
 * of its own: a file before one that it imports would run both in one task. The first view has fewer files than a browser has
 * connections over HTTP/1.1, so no order would make them arrive earlier.
 */
export function withImports(
  fileName: string,
  chunks: ReadonlyMap<string, Pick<Rolldown.OutputChunk, 'imports'>>,
): string[] {
  const ordered = new Set<string>();
  const begun = new Set<string>();
  const add = (one: string) => {
    if (begun.has(one)) return;
    begun.add(one);
    for (const imported of chunks.get(one)?.imports ?? []) add(imported);
    ordered.add(one);
  };
  add(fileName);
  return [...ordered];
}

/** The relation of the files of a page: `start.ts` makes it `modulepreload` when the static page is painted. */
const PAGE_FILE = 'svc-page';

/** What stands in the page until the scripts run. */
const WAITING = /<p role="status"[^>]*>[^<]*<\/p>/;

/**
 * The HTML of each lazily loaded page, which names the files of that page too: the browser fetches them when it has painted the HTML, so
 * that they do not delay its styles and the files of the frame. It
 * has the heading of the page, where that needs no data. `/executions/$id` is in `pages/executions/$.html`.
 *
 * Throws when a page has no file of its own.
 */
export function pagesHtml(html: string, output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]) {
  const chunks = new Map(
    output.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])),
  );
  return Object.entries(PAGE_FILES).map(([route, module]) => {
    const page = [...chunks.values()].find((one) => one.facadeModuleId?.endsWith(`/web/${module}`));
    if (page === undefined) throw new Error(`${route}: web/${module} has no file of its own`);
    const scripts = withImports(page.fileName, chunks).filter((fileName) => !html.includes(fileName));
    const styles = [page.fileName, ...scripts].flatMap((one) => [
      ...(chunks.get(one)?.viteMetadata?.importedCss ?? []),
    ]);
    const links = [
      ...scripts.map((fileName) => linkTo(fileName, { rel: PAGE_FILE })),
      ...styles.map((fileName) => linkTo(fileName, { rel: 'preload', as: 'style' })),
    ];
    const path = `pages${route.replace(/\$\w+/, '$')}.html`;
    const text = html.replace('</head>', `${links.map(textOf).join('')}</head>`);
    return { path, text: withHead(text, (PAGE_HEADS as Readonly<Record<string, PageHead>>)[route]) };
  });
}

/** With the heading as `design/Page.tsx` draws it, but no heading for programs: the page that follows has that. */
function withHead(html: string, head: PageHead | undefined): string {
  if (!WAITING.test(html)) throw new Error('index.html does not say that it loads');
  if (head === undefined) return html;
  const [title, about] = [escapeHtml(head.title), escapeHtml(head.about)];
  return html.replace(
    WAITING,
    () =>
      `<div role="status"><p class="text-xl font-semibold text-balance">${title}</p><p class="mt-1 max-w-4xl text-soft">${about}</p></div>`,
  );
}

function textOf({ tag, attrs }: HtmlTagDescriptor): string {
  const all = Object.entries(attrs ?? {}).map(([name, value]) =>
    value === '' ? name : `${name}="${value}"`,
  );
  return `<${[tag, ...all].join(' ')}>`;
}

function linkTo(fileName: string, attrs: Readonly<Record<string, string>>): HtmlTagDescriptor {
  // Low priority: the styles of the first paint load first.
  const attributes = { ...attrs, crossorigin: '', fetchpriority: 'low', href: `/${fileName}` };
  return { tag: 'link', attrs: attributes, injectTo: 'head' };
}
