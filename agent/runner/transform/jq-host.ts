/** The environment of the jq program: its input, two bounded outputs, and no variables. */
export interface JqHost {
  /** Replaces the host functions of the script beside the wasm. `memory` is read at every call, because it moves. */
  readonly imports: (memory: () => ArrayBuffer) => Record<string, (...args: number[]) => number>;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Thrown through the wasm if its output is too long. */
export class OutputTooLong extends Error {}

const STDIN = 0;
const STDOUT = 1;
const STDERR_BYTES = 64 * 1024;
const BAD_FILE = 8;

/** Serves `input` as standard input and collects the output; see WASI preview 1 for the signatures. */
export function createJqHost(input: Uint8Array, stdoutBytes: number): JqHost {
  const stdout = new Collector(stdoutBytes);
  const stderr = new Collector(STDERR_BYTES);
  let rest = input;

  const read = (into: Uint8Array) => {
    into.set(rest.subarray(0, into.length));
    const length = Math.min(into.length, rest.length);
    rest = rest.subarray(length);
    return length;
  };
  const print = (bytes: Uint8Array) => {
    if (!stdout.add(bytes)) throw new OutputTooLong();
    return bytes.length;
  };
  const complain = (bytes: Uint8Array) => {
    stderr.add(bytes);
    return bytes.length;
  };

  return {
    imports: (memory) => ({
      fd_read: (fd, list, count, done) =>
        fd === STDIN ? forEachBuffer(memory(), { list, count, done }, read) : BAD_FILE,
      fd_write: (fd, list, count, done) =>
        forEachBuffer(memory(), { list, count, done }, fd === STDOUT ? print : complain),
      environ_sizes_get: (count, bytes) => {
        new DataView(memory()).setUint32(count, 0, true);
        new DataView(memory()).setUint32(bytes, 0, true);
        return 0;
      },
      environ_get: () => 0,
    }),
    stdout: () => stdout.text(),
    stderr: () => stderr.text(),
  };
}

/** The buffers of a call: `count` pairs of address and length at `list`, the number of bytes handled at `done`. */
interface Buffers {
  readonly list: number;
  readonly count: number;
  readonly done: number;
}

function forEachBuffer(memory: ArrayBuffer, buffers: Buffers, handle: (bytes: Uint8Array) => number): number {
  const view = new DataView(memory);
  let total = 0;
  for (let pair = 0; pair < buffers.count; pair += 1) {
    const at = buffers.list + pair * 8;
    total += handle(new Uint8Array(memory, view.getUint32(at, true), view.getUint32(at + 4, true)));
  }
  view.setUint32(buffers.done, total, true);
  return 0;
}

class Collector {
  readonly #limit: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False, without a change, if it would be too long. */
  add(bytes: Uint8Array): boolean {
    if (this.#length + bytes.length > this.#limit) return false;
    this.#length += bytes.length;
    this.#chunks.push(bytes.slice());
    return true;
  }

  text(): string {
    const decoder = new TextDecoder();
    return this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
  }
}
