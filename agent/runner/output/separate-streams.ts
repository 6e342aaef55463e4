import { Masker } from '@svc/core/execution/mask/masker';
import type { Launch } from '../runner.ts';
import type { OutputLink } from './link.ts';
import { OutputPipeline } from './output-pipeline.ts';

type From = 'stdout' | 'stderr';

/**
 * The output of a command with separate stdout and stderr (decision 68, raw output). Each has its own pipe, so only the order of
 * arrival is known between them.
 */
export class SeparateStreams {
  readonly #pipelines: Readonly<Record<From, OutputPipeline>>;
  readonly #maskers: Readonly<Record<From, Masker>>;
  #last: From = 'stdout';

  constructor(
    launch: Pick<Launch, 'output' | 'frameBytes' | 'step' | 'streams' | 'masks'>,
    link: OutputLink,
  ) {
    const content = launch.streams === 'raw' ? 'raw' : 'text';
    this.#pipelines = {
      stdout: new OutputPipeline(launch, link, content),
      stderr: new OutputPipeline(launch, link, 'stderr'),
    };
    this.#maskers = { stdout: new Masker(launch.masks), stderr: new Masker(launch.masks) };
  }

  /** Takes ownership of the chunk. If it returns a promise, the caller waits for it before reading on. */
  take(from: From, chunk: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    return this.#push(from, this.#maskers[from].push(chunk));
  }

  /** Ends both streams. `note` is a last line for people, which goes to stderr. */
  async end(note: Uint8Array<ArrayBuffer> = new Uint8Array(0)): Promise<void> {
    await this.#push('stdout', this.#maskers.stdout.end());
    await this.#push('stderr', this.#maskers.stderr.end());
    await this.#push('stderr', note);
    this.#pipelines.stdout.end();
    this.#pipelines.stderr.end();
  }

  #push(from: From, chunk: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    if (chunk.length === 0) return undefined;
    if (from !== this.#last) this.#pipelines[this.#last].flush();
    this.#last = from;
    return this.#pipelines[from].push(chunk);
  }
}
