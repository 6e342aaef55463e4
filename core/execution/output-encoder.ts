import { LIMITS } from '../plan/limits.ts';
import type { EncodedOutput } from './frame.ts';
import { FrameBuilder } from './frame-builder.ts';

export interface OutputEncoderOptions {
  /** The step of a pipeline run that the output belongs to (decision 43, calling a pipeline). */
  readonly step?: string;
  /** The events name the stream that the lines come from (decision 68, raw output). */
  readonly stream?: 'stderr';
  /** The longest line of one event, in bytes of UTF-8. */
  readonly lineBytes?: number;
}

/**
 * Turns the output of a command, in any chunks, into `output` events (decision 15, the event stream).
 *
 * The events depend on the bytes alone, never on where the chunks were cut. A frame can be 40 times its chunk (a chunk of
 * nothing but newlines), so the size of the chunks bounds the memory; of a line without an end about `lineBytes` are buffered.
 */
export class OutputEncoder {
  /** A byte order mark is data here: the command printed it. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #lineBytes: number;
  readonly #prefix: string;
  #partialLine = '';

  constructor(options: OutputEncoderOptions = {}) {
    this.#lineBytes = options.lineBytes ?? LIMITS.lineBytes;
    const head = JSON.stringify({ type: 'output', step: options.step, stream: options.stream });
    this.#prefix = `data: ${head.slice(0, -1)},"data":"`;
  }

  /** The lines that this chunk completes; undefined if there are none. */
  push(chunk: Uint8Array): EncodedOutput | undefined {
    return this.#take(this.#decoder.decode(chunk, { stream: true })).finish();
  }

  /** The last line, if it had no newline. No push may follow. */
  end(): EncodedOutput | undefined {
    const builder = this.#take(this.#decoder.decode());
    if (this.#partialLine !== '') builder.addLine(this.#partialLine, 'none');
    this.#partialLine = '';
    return builder.finish();
  }

  #take(text: string): FrameBuilder {
    const builder = new FrameBuilder(this.#prefix, this.#lineBytes);
    const newline = text.lastIndexOf('\n');
    if (newline >= 0) {
      builder.addBlock(this.#partialLine + text.slice(0, newline));
      this.#partialLine = text.slice(newline + 1);
    } else {
      this.#partialLine += text;
    }
    if (this.#partialLine.length > this.#lineBytes) this.#partialLine = builder.addStart(this.#partialLine);
    return builder;
  }
}
