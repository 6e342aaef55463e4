import type { OutputSink } from '../../runner/runner.ts';

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** Keeps the first `limitBytes` of the output and drops the rest (decision 16, the buffered answer). */
export class BufferedOutput implements OutputSink {
  readonly #limitBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isTruncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  write(chunk: Uint8Array): void {
    const room = this.#limitBytes - this.#bytes;
    if (chunk.length > room) this.#isTruncated = true;
    if (room <= 0 || chunk.length === 0) return;
    const kept = chunk.slice(0, room);
    this.#chunks.push(kept);
    this.#bytes += kept.length;
  }

  /** The kept output as text, without a character that the limit cut in two. */
  text(): string {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    if (!this.#isTruncated) return lossy.decode(bytes);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  }
}
