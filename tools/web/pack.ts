import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { CODINGS, type Coding, type PackIndex } from '@svc/hub/dashboard/asset-pack';

export interface BuiltFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
};
/** Compressed by its own format. */
const DENSE = new Set(['woff2']);
/** By ending. Scripts are worth the seconds of the highest level, a fourteenth less than at 9: each page waits for them. */
const BROTLI_QUALITY: Readonly<Record<string, number>> = { js: 11 };
const OTHER_BROTLI_QUALITY = 9;

/** Files as `AssetPack` reads them, compressed here once in these codings. */
export async function packOf(
  files: readonly BuiltFile[],
  stamp: string,
  codings: readonly Coding[] = CODINGS,
): Promise<Uint8Array> {
  const index: Record<string, PackIndex['files'][string]> = {};
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const { path, made } of await Promise.all(files.map(compressed))) {
    const kept = made.length === 1 ? made : made.filter(([coding]) => codings.includes(coding));
    const places = kept.map(([coding, bytes]) => {
      parts.push(bytes);
      const from = length;
      length += bytes.length;
      return [coding, [from, length]];
    });
    index[path] = { type: typeOf(path), bytes: Object.fromEntries(places) };
  }
  return Buffer.concat([
    Buffer.from(`${JSON.stringify({ stamp, files: index } satisfies PackIndex)}\n`),
    ...parts,
  ]);
}

async function compressed({ path, bytes }: BuiltFile) {
  const made: [Coding, Uint8Array][] = [['identity', bytes]];
  if (!DENSE.has(endingOf(path))) {
    const quality = BROTLI_QUALITY[endingOf(path)] ?? OTHER_BROTLI_QUALITY;
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
    made.push(['br', await promisify(brotliCompress)(bytes, { params })]);
    made.push(['gzip', await promisify(gzip)(bytes, { level: 9 })]);
  }
  return { path, made };
}

function typeOf(path: string): string {
  const type = TYPES[endingOf(path)];
  if (type === undefined) throw new Error(`${path}: tools/web/pack.ts does not know the type of such files`);
  return type;
}

function endingOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
