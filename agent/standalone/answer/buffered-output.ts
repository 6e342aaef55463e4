import { rawParts } from '@svc/core/execution/raw-output';
import type { OutputSink } from '../../runner/runner.ts';

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** The kept output of a command, for a JSON result. */
export interface ResultOutput {
  readonly isTruncated: boolean;
  /** The fields of the result as JSON, without braces. */
  fields(): string;
}

/** Keeps the first `limitBytes` of the output and drops the rest (decision 16, the buffered answer). */
export class BufferedOutput implements OutputSink, ResultOutput {
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

  fields(): string {
    return `"output":${JSON.stringify(this.text())}`;
  }

  bytes(): Uint8Array {
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
  }

  /** The kept output as text, without a character that the limit cut in two. */
  text(): string {
    const bytes = this.bytes();
    if (!this.#isTruncated) return lossy.decode(bytes);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  }
}

/** The same for raw stdout (decision 68, raw output). A command that wrote nothing there has the lines of stderr as its output. */
export class BufferedRawOutput implements OutputSink, ResultOutput {
  readonly #stdout: BufferedOutput;
  readonly #stderr: BufferedOutput;

  constructor(limitBytes: number) {
    this.#stdout = new BufferedOutput(limitBytes);
    this.#stderr = new BufferedOutput(limitBytes);
  }

  get isTruncated(): boolean {
    return this.#shown.isTruncated;
  }

  write(events: Uint8Array): void {
    for (const part of rawParts(events)) {
      if (part.kind === 'stdout') this.#stdout.write(part.bytes);
      else this.#stderr.write(new TextEncoder().encode(`${part.line}\n`));
    }
  }

  fields(): string {
    const bytes = this.#stdout.bytes();
    return bytes.length === 0 ? this.#stderr.fields() : `"output":"${bytes.toBase64()}","encoding":"base64"`;
  }

  get #shown(): BufferedOutput {
    return this.#stdout.bytes().length === 0 ? this.#stderr : this.#stdout;
  }
}
