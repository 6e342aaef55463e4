import { join } from 'node:path';
/** The content codings that browsers accept, smallest output first. */
export const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

/** By path: the media type and the byte range for each coding. */
export interface PackIndex {
  /** A hash of all sources. */
  readonly stamp: string;
  readonly files: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly bytes: { readonly [Name in Coding]?: readonly [from: number, to: number] };
      }
    >
  >;
}

/** One file, compressed at build time. */
export interface Asset {
  readonly type: string;
  readonly bytes: { readonly [Name in Coding]?: Uint8Array<ArrayBuffer> | undefined };
}

const FONT = /^(ibm-plex-[a-z0-9-]+)\.woff2$/;

/**
 * All files of the dashboard, or of the documentation, in one: a line of JSON as the index, then the bytes. One file is replaced
 * atomically by a new build, and is embedded into the binary as it is.
 */
export class AssetPack {
  readonly stamp: string;
  readonly #files: PackIndex['files'];
  readonly #bytes: Uint8Array<ArrayBuffer>;

  constructor(pack: Uint8Array<ArrayBuffer>) {
    const end = pack.indexOf(0x0a);
    const { stamp, files } = JSON.parse(new TextDecoder().decode(pack.subarray(0, end))) as PackIndex;
    this.stamp = stamp;
    this.#files = files;
    this.#bytes = pack.subarray(end + 1);
  }

  /** The licenses of all packages in the program. */
  get licenses(): string {
    const path = Object.keys(this.#files).find((file) => file.startsWith('assets/licenses-')) ?? '';
    return new TextDecoder().decode(this.asset(path)?.bytes.identity);
  }

  /** A font by its name without a hash, for the pages that are not built: `ibm-plex-sans-latin-400-normal.woff2`. */
  font(file: string): Asset | undefined {
    const name = FONT.exec(file)?.[1];
    if (name === undefined) return undefined;
    const path = Object.keys(this.#files).find(
      (one) => one.startsWith(`assets/${name}-`) && one.endsWith('.woff2'),
    );
    return path === undefined ? undefined : this.asset(path);
  }

  /**
   * The HTML of a view, by its path without `/dashboard`: `/executions/x`. A lazily loaded page has its own (`web/preloads.ts`), and
   * every other view has that of the first page.
   */
  page(view: string): Asset | undefined {
    const anyOne = view.replace(/[^/]+$/, '$');
    return this.asset(`pages${view}.html`) ?? this.asset(`pages${anyOne}.html`) ?? this.asset('index.html');
  }

  asset(path: string): Asset | undefined {
    const file = Object.hasOwn(this.#files, path) ? this.#files[path] : undefined;
    if (file === undefined) return undefined;
    const bytes = Object.entries(file.bytes).map(([coding, [from, to]]) => [
      coding,
      this.#bytes.subarray(from, to),
    ]);
    return { type: file.type, bytes: Object.fromEntries(bytes) };
  }
}

/** The output of the builds, beside the source. */
const BUILT = join(import.meta.dirname, '../../web/dist');

interface Kept {
  readonly changedMs: number;
  readonly pack: AssetPack;
}

/** The built dashboard or documentation: from the binary, else the newest beside the source; undefined: none. */
export function builtPack(name: 'dashboard' | 'documentation'): () => Promise<AssetPack | undefined> {
  let kept: Kept | undefined;
  return async () => {
    const file = embedded(name) ?? Bun.file(join(BUILT, `${name}.pack`));
    if (!(await file.exists())) return undefined;
    const { lastModified: changedMs } = file;
    if (kept?.changedMs === changedMs) return kept.pack;
    const pack = new AssetPack(await file.bytes());
    kept = { changedMs, pack };
    return pack;
  };
}

/** Bun adds a hash to the names of embedded files; its types do not declare them as files. */
function embedded(pack: string): Bun.BunFile | undefined {
  const files = Bun.embeddedFiles as readonly Bun.BunFile[];
  return files.find(({ name }) => name?.startsWith(`${pack}-`) && name.endsWith('.pack'));
}
