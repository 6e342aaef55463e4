import { createHash } from 'node:crypto';
import { EXIT, Failure } from '../failure.ts';
import { trustedComment } from './signature.ts';

/** Where releases are, and the key that signs them. */
export interface ReleaseSource {
  /** The folder with `latest` and with a folder for each version. */
  readonly url: string;
  /** The public key of minisign, as one line of base64. */
  readonly key: string;
}

/** A release whose signature was verified. */
export interface VerifiedRelease {
  readonly version: string;
  /** The program for a machine, such as `linux-x64`. Rejects with a `Failure` for a file that is not the released one. */
  readonly programFor: (target: string) => Promise<Uint8Array>;
}

const MAX_TEXT_BYTES = 256 * 1024;
const MAX_ARCHIVE_BYTES = 512 * 1024 * 1024;
/** A download is given up after this time without a byte. */
const IDLE_MS = 30_000;

/**
 * Reads the newest release, or the one of a version. The signature covers SHA256SUMS, which covers every file, and its
 * comment names the version, so a server cannot pass off one release as another.
 */
export async function readRelease(source: ReleaseSource, wanted?: string): Promise<VerifiedRelease> {
  const folder = `${source.url.replace(/\/+$/, '')}/${wanted ?? 'latest'}`;
  const sums = await download(`${folder}/SHA256SUMS`, MAX_TEXT_BYTES);
  const signature = await download(`${folder}/SHA256SUMS.minisig`, MAX_TEXT_BYTES);
  const comment = trustedComment(sums, new TextDecoder().decode(signature), source.key);
  const version = /^svc (\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?) SHA256SUMS$/.exec(comment)?.[1];
  if (version === undefined || (wanted !== undefined && version !== wanted))
    throw failed(`the signature belongs to "${comment}" and not to ${wanted ?? 'a release of svc'}`);
  return { version, programFor: async (target) => await program(folder, digestsIn(sums), version, target) };
}

async function program(
  folder: string,
  digests: ReadonlyMap<string, string>,
  version: string,
  target: string,
): Promise<Uint8Array> {
  const name = `svc-${version}-${target}`;
  const expected = digests.get(`${name}.tar.zst`);
  if (expected === undefined) throw failed(`svc ${version} has no ${name}.tar.zst`);
  const archive = await download(`${folder}/${name}.tar.zst`, MAX_ARCHIVE_BYTES);
  if (createHash('sha256').update(archive).digest('hex') !== expected)
    throw failed(`${folder}/${name}.tar.zst is not the file that was released`);
  const files = await new Bun.Archive(await Bun.zstdDecompress(archive)).files();
  const file = files.get(`${name}/svc`);
  if (file === undefined) throw failed(`${name}.tar.zst has no program`);
  return new Uint8Array(await file.arrayBuffer());
}

/** The lines of SHA256SUMS, digest by name. */
function digestsIn(sums: Uint8Array): ReadonlyMap<string, string> {
  const lines = new TextDecoder().decode(sums).matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm);
  return new Map([...lines].map(([, digest = '', name = '']) => [name, digest]));
}

/** A whole file. Rejects with a `Failure` when it is absent, too long, cut off, or when no byte comes for a while. */
async function download(url: string, maxBytes: number): Promise<Uint8Array> {
  const idle = new AbortController();
  const stall = () => setTimeout(() => idle.abort(new Error(`no byte for ${IDLE_MS / 1000} s`)), IDLE_MS);
  let timer = stall();
  try {
    const response = await fetch(url, { signal: idle.signal });
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body) {
      clearTimeout(timer);
      timer = stall();
      length += chunk.byteLength;
      if (length > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    const announced = Number(response.headers.get('content-length') ?? length);
    if (length < announced) throw new Error(`it was cut off after ${length} of ${announced} bytes`);
    return Buffer.concat(chunks);
  } catch (cause) {
    throw failed(`${url} could not be downloaded (${cause instanceof Error ? cause.message : cause})`, cause);
  } finally {
    clearTimeout(timer);
  }
}

function failed(message: string, cause?: unknown): Failure {
  const failure = new Failure(`${message}: nothing was changed`, { exitCode: EXIT.failed });
  if (cause !== undefined) failure.cause = cause;
  return failure;
}
