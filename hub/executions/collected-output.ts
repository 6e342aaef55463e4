import { type EncodedOutput, type EndingRun, rebuildOutput } from '@svc/core/execution/frame';
import type { OutputChunk } from './execution-ports.ts';

/** Collects the output of a command from the events of its stream, up to a limit (decision 16, output). */
export class CollectedOutput {
  readonly #limitBytes: number;
  #text = '';
  #bytes = 0;
  #isTruncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  get text(): string {
    return this.#text;
  }

  add(chunk: OutputChunk): void {
    if (this.#isTruncated) return;
    const text = plainText(chunk);
    const bytes = Buffer.byteLength(text);
    const room = this.#limitBytes - this.#bytes;
    this.#isTruncated = bytes > room;
    this.#bytes += Math.min(bytes, room);
    this.#text += bytes > room ? firstBytes(text, room) : text;
  }
}

/** The text of one piece of an execution's output. */
export function plainText({ sse, endings }: OutputChunk): string {
  const runs = endings === undefined ? [] : (JSON.parse(endings) as EndingRun[]);
  const frame: EncodedOutput = { sse, lines: 0, endings: runs };
  return rebuildOutput([frame]);
}

/** Leaves out a character that the limit cuts in two. */
function firstBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
