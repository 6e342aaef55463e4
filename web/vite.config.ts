import { join } from 'node:path';
import { ROUTES } from '@svc/core/api/routes';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig, type Plugin } from 'vite';
import { firstReadsOf } from './first-reads.ts';
import { firstView } from './first-view.ts';
import { pagesHtml, preloads } from './preloads.ts';

/** The fonts of the first view; text that changes its font jumps. */
const FONTS = /ibm-plex-sans-latin-(400|600)-normal-.*\.woff2$/;

/** The browser needs the methods and paths of the route table only; request and response types are checked at build time. */
const ROUTE_LINES = Object.fromEntries(
  Object.entries(ROUTES).map(([name, { method, path }]) => [name, { method, path }]),
);

const START = join(import.meta.dirname, 'start.ts');
const MAIN = join(import.meta.dirname, 'main.tsx');

const CONFIG: InlineConfig = {
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [react(), tailwind(), preloads(FONTS), startAlone(), patternEngine()],
  resolve: { alias: { '@svc/core': join(import.meta.dirname, '../core') } },
  define: {
    ROUTE_LINES: JSON.stringify(ROUTE_LINES),
    FIRST_READS: JSON.stringify(firstReadsOf(ROUTE_LINES)),
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
      input: { index: join(import.meta.dirname, 'index.html'), main: MAIN },
      output: {
        codeSplitting: firstView(MAIN),
      },
    },
  },
};

/**
 * Bundles the first script with copies of its modules: one small file that waits for no other. The copies share no state with the modules
 * of the page.
 */
function startAlone(): Plugin {
  const copied = '?start';
  return {
    name: 'svc:start-alone',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (importer !== START && !importer?.endsWith(copied)) return undefined;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      return found?.id.endsWith('.ts') ? `${found.id}${copied}` : found;
    },
  };
}

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
