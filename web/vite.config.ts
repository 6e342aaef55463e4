import { join } from 'node:path';
import { ROUTES } from '@svc/core/api/routes';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig, type Plugin } from 'vite';
import { firstView } from './first-view.ts';
import { pagesHtml, preloads } from './preloads.ts';

/** The fonts of the first view; text that changes its font jumps. */
const FONTS = /ibm-plex-sans-latin-(400|600)-normal-.*\.woff2$/;

const CONFIG: InlineConfig = {
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [react(), tailwind(), preloads(FONTS), patternEngine()],
  resolve: { alias: { '@svc/core': join(import.meta.dirname, '../core') } },
  define: {
    // The browser needs the methods and paths of the route table only; request and response types are checked at build time.
    ROUTE_LINES: JSON.stringify(
      Object.fromEntries(Object.entries(ROUTES).map(([name, { method, path }]) => [name, { method, path }])),
    ),
  },
  build: {
    assetsDir: 'assets',
    target: 'es2023',
    // A strict Content-Security-Policy has no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    write: false,
    rolldownOptions: {
      output: {
        codeSplitting: firstView(join(import.meta.dirname, 'main.tsx')),
      },
    },
  },
};

/** Gives core the engine of patterns that web loads late; `real-pattern-engine.ts` alone gets the package. */
function patternEngine(): Plugin {
  const late = join(import.meta.dirname, 'endpoint/pattern-engine.ts');
  return {
    name: 'svc:pattern-engine',
    enforce: 'pre',
    resolveId: (source, importer) =>
      source === 're2js' && !importer?.endsWith('/real-pattern-engine.ts') ? late : undefined,
  };
}

interface BuiltFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Builds the dashboard; the name of every file except the page contains a hash of its content.
 *
 * @param licenses the path at which the hub serves the licenses
 */
export async function builtFiles(licenses: string): Promise<BuiltFile[]> {
  process.env.NODE_ENV = 'production';
  const define = { ...CONFIG.define, LICENSES_PATH: JSON.stringify(licenses) };
  const built = await build({ ...CONFIG, define });
  if (!('output' in built)) throw new Error('vite answered with more than one build');
  const files = built.output.map((file) => ({
    path: file.fileName,
    bytes: Buffer.from(file.type === 'chunk' ? file.code : file.source),
  }));
  const html = files.find(({ path }) => path === 'index.html')?.bytes.toString() ?? '';
  const pages = pagesHtml(html, built.output).map(({ path, text }) => ({ path, bytes: Buffer.from(text) }));
  return [...files, ...pages];
}
