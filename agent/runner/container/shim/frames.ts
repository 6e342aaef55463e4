/**
 * The frames between runner and shim over the two standard streams of a container: one byte of kind, the length of the
 * payload as a big-endian u32, the payload.
 */
const HEAD_BYTES = 5;

/** The most output bytes in one frame. */
const MAX_OUTPUT_BYTES = 64 * 1024;
const MAX_WORD_BYTES = 64;

/** The frames of the shim, in this order: `ready`, `accepted`, then `exit` or `failed` among output, then `done`. */
export type ShimFrame =
  | { readonly kind: 'ready' }
  /** The shim has the whole job and waits for `begin`. */
  | { readonly kind: 'accepted' }
  | { readonly kind: 'output'; readonly from: 'stdout' | 'stderr'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** 128 + n for a command that signal n ended. */
  | { readonly kind: 'exit'; readonly code: number }
  /** The command could not be started, with the errno and the stage. */
  | { readonly kind: 'failed'; readonly stage: FailedStage; readonly errno: number }
  /** The command has exited, and its output is closed. */
  | { readonly kind: 'done' };

/** `folder`: the working directory could not be entered. */
export type FailedStage = (typeof STAGES)[number];
const STAGES = ['start', 'folder', 'exec'] as const;

/**
 * A frame that no shim sends. Commands cannot reach the shim's process, but it is treated as hostile (decision 49, the
 * hosted runner).
 */
export class ForgedFrame extends Error {}

/** Parses frames from bytes, however these are split; throws {@link ForgedFrame}. Buffers at most one frame. */
export class FrameReader {
  #rest: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  push(chunk: Uint8Array<ArrayBuffer>): ShimFrame[] {
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    const frames: ShimFrame[] = [];
    let at = 0;
    for (let end = frameEnd(bytes, at); end <= bytes.length; end = frameEnd(bytes, at)) {
      frames.push(readFrame(kindAt(bytes, at), bytes.subarray(at + HEAD_BYTES, end)));
      at = end;
    }
    this.#rest = bytes.slice(at);
    return frames;
  }
}

function frameEnd(bytes: Uint8Array<ArrayBuffer>, at: number): number {
  if (bytes.length - at < HEAD_BYTES) return Number.POSITIVE_INFINITY;
  const length = new DataView(bytes.buffer, bytes.byteOffset + at + 1, 4).getUint32(0);
  const kind = kindAt(bytes, at);
  const max = kind === 'O' || kind === 'E' ? MAX_OUTPUT_BYTES : MAX_WORD_BYTES;
  if (length > max) throw new ForgedFrame(`a frame "${kind}" of ${length} bytes`);
  return at + HEAD_BYTES + length;
}

function kindAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(bytes[at] ?? 0);
}

function readFrame(kind: string, payload: Uint8Array<ArrayBuffer>): ShimFrame {
  switch (kind) {
    case 'O':
      return { kind: 'output', from: 'stdout', bytes: payload };
    case 'E':
      return { kind: 'output', from: 'stderr', bytes: payload };
    case 'R':
      return { kind: 'ready' };
    case 'A':
      return { kind: 'accepted' };
    case 'X':
      return { kind: 'exit', code: numberIn(payload, 255) };
    case 'F':
      return failure(payload);
    case 'D':
      return { kind: 'done' };
    default:
      throw new ForgedFrame(`a frame of the unknown kind ${kind.charCodeAt(0)}`);
  }
}

function failure(payload: Uint8Array): ShimFrame {
  const [word = '', errno = ''] = new TextDecoder().decode(payload).split(' ');
  const stage = STAGES.find((one) => one === word);
  if (stage === undefined) throw new ForgedFrame('a failure of something unknown');
  return { kind: 'failed', stage, errno: numberIn(new TextEncoder().encode(errno), 4_095) };
}

function numberIn(payload: Uint8Array, max: number): number {
  const text = new TextDecoder().decode(payload);
  const number = Number(text);
  if (!/^\d{1,4}$/.test(text) || number > max) throw new ForgedFrame('a number out of range');
  return number;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** One command for the shim. No container configuration contains any of it. */
export interface Job {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Whether stdout and stderr are separate; else they are merged in the order written. */
  readonly apart: boolean;
}

export function encodeJob({ argv, env, cwd, apart }: Job): Uint8Array<ArrayBuffer> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const texts = [apart ? '1' : '', cwd, String(argv.length), ...argv, ...variables];
  const words = texts.map((text) => Buffer.from(text));
  return encodeFrame('J', Buffer.concat(words.flatMap((word) => [lengthOf(word), word])));
}

/**
 * Begins the accepted job. It is a separate, last frame: a container that ends before it has run nothing, so another
 * container can run the job.
 */
export const BEGIN = encodeFrame('B', new Uint8Array(0));

/** SIGTERM to every process in the container but the shim. */
export const TERMINATE = encodeFrame('T', new Uint8Array(0));

function encodeFrame(kind: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat([Buffer.from(kind), lengthOf(payload), payload]));
}

function lengthOf(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(bytes.length);
  return head;
}
