import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';

/**
 * Adds preload links to the page for the chunks that the first script imports and for the fonts of the first view.
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

/** Chunks with all their static imports. */
function withImports(
  fileNames: readonly string[],
  chunks: ReadonlyMap<string, Rolldown.OutputChunk>,
): string[] {
  const all = new Set(fileNames);
  for (const fileName of all) for (const imported of chunks.get(fileName)?.imports ?? []) all.add(imported);
  return [...all];
}

function linkTo(fileName: string, attrs: Readonly<Record<string, string>>): HtmlTagDescriptor {
  // Low priority: the styles of the first paint load first.
  const attributes = { ...attrs, crossorigin: '', fetchpriority: 'low', href: `/${fileName}` };
  return { tag: 'link', attrs: attributes, injectTo: 'head' };
}
