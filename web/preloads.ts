import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';

/**
 * Names in the page what scripts and style sheets would name only when they have come: what the first script loads at once, and
 * fonts that the first view needs.
 */
export function preloads(fonts: RegExp): Plugin {
  return {
    name: 'svc:preloads',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const built = Object.values(bundle ?? {});
        const chunks = new Map(
          built.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])),
        );
        const begun = [...chunks.values()].flatMap((one) => (one.isEntry ? one.dynamicImports : []));
        const scripts = withImports(begun, chunks).filter((fileName) => !html.includes(fileName));
        const files = built.map(({ fileName }) => fileName).filter((fileName) => fonts.test(fileName));
        return [
          ...scripts.map((fileName) => linkTo(fileName, { rel: 'modulepreload' })),
          ...files.map((fileName) => linkTo(fileName, { rel: 'preload', as: 'font', type: 'font/woff2' })),
        ];
      },
    },
  };
}

/** Chunks and all that they import as they begin. */
function withImports(
  fileNames: readonly string[],
  chunks: ReadonlyMap<string, Rolldown.OutputChunk>,
): string[] {
  const all = new Set(fileNames);
  for (const fileName of all) for (const imported of chunks.get(fileName)?.imports ?? []) all.add(imported);
  return [...all];
}

function linkTo(fileName: string, attrs: Readonly<Record<string, string>>): HtmlTagDescriptor {
  // What the page is painted with comes first: none of this holds it up.
  const all = { ...attrs, crossorigin: '', fetchpriority: 'low', href: `/${fileName}` };
  return { tag: 'link', attrs: all, injectTo: 'head' };
}
