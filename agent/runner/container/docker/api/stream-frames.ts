const HEAD_BYTES = 8;
const STDOUT = 1;
const STDERR = 2;

export interface StreamChunk {
  readonly from: 'stdout' | 'stderr';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Separates the two streams of a container, which share one connection. A frame is one byte of kind, three zero bytes, the
 * length as a big-endian u32 and the payload (Docker Engine API, "attach"). A payload is passed on as it arrives.
 */
export class StreamFrames {
  readonly #head = new Uint8Array(HEAD_BYTES);
  #headBytes = 0;
  #left = 0;

  push(chunk: Uint8Array<ArrayBuffer>): StreamChunk[] {
    const pieces: StreamChunk[] = [];
    for (let at = 0; at < chunk.length; ) {
      if (this.#left === 0) at += this.#takeHead(chunk.subarray(at));
      else {
        const bytes = chunk.subarray(at, at + this.#left);
        pieces.push({ from: this.#head[0] === STDERR ? 'stderr' : 'stdout', bytes });
        this.#left -= bytes.length;
        at += bytes.length;
      }
    }
    return pieces;
  }

  #takeHead(chunk: Uint8Array): number {
    const part = chunk.subarray(0, HEAD_BYTES - this.#headBytes);
    this.#head.set(part, this.#headBytes);
    this.#headBytes += part.length;
    if (this.#headBytes === HEAD_BYTES) {
      this.#headBytes = 0;
      const [kind = 0] = this.#head;
      if (kind !== STDOUT && kind !== STDERR) throw new Error(`the engine sent a stream of the kind ${kind}`);
      this.#left = new DataView(this.#head.buffer).getUint32(4);
    }
    return part.length;
  }
}
