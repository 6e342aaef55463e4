/** The codings that browsers ask for, the smallest first. */
export const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

/** By path: the type, and from where to where its bytes stand, by coding. */
export interface PackIndex {
  /** A hash of everything that it was made from. */
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

/** One file of the dashboard, compressed when it was built. */
export interface Asset {
  readonly type: string;
  readonly bytes: { readonly [Name in Coding]?: Uint8Array<ArrayBuffer> | undefined };
}

/**
 * All files of the dashboard in one: a line of JSON that says where each of them is, then their bytes. One file is replaced
 * at once when the dashboard is built anew, and goes into the binary as it is.
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
