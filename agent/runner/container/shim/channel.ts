import { abandonReader, type ByteReader } from '../../output/byte-reader.ts';
import { type Container, EngineError } from '../engine.ts';
import { BEGIN, encodeJob, FrameReader, type Job, type ShimFrame, TERMINATE } from './frames.ts';

/** The connection between the runner and the shim of one container. */
export class ShimChannel {
  readonly container: Container;
  readonly reader: ByteReader;
  readonly #frames = new FrameReader();

  constructor(container: Container) {
    this.container = container;
    this.reader = container.output.getReader();
  }

  /** Resolves when the shim waits for a job; rejects if the container ends before. */
  async ready(): Promise<void> {
    for (;;) {
      const { done, value } = await this.reader.read();
      if (done)
        throw new EngineError(
          `a container did not start: ${(await this.container.ended) || 'no reason given'}`,
        );
      if (this.decode(value).some(({ kind }) => kind === 'ready')) return;
    }
  }

  decode(chunk: Uint8Array<ArrayBuffer>): ShimFrame[] {
    return this.#frames.push(chunk);
  }

  /** The shim answers with `accepted`. Nothing runs before {@link begin}. */
  offer(job: Job): void {
    this.container.send(encodeJob(job));
  }

  begin(): void {
    this.container.send(BEGIN);
  }

  terminate(): void {
    this.container.send(TERMINATE);
  }

  /** Stops reading. */
  abandon(): void {
    abandonReader(this.reader);
  }
}
