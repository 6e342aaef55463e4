import { Refusal } from '@svc/core/refusal';

/** Whether the credential that a stream was opened with is still good for it; a rejection says nothing about it. */
type Check = () => Promise<boolean>;

interface Stream {
  readonly isAllowed: Check;
  readonly end: () => void;
}

/** Answers that go on for long, each by the credential that it was asked for with: they end when that does (decision 44). */
export class OpenStreams {
  readonly #streams = new Set<Stream>();
  readonly #reportBug: (error: unknown) => void;

  constructor(reportBug: (error: unknown) => void) {
    this.#reportBug = reportBug;
  }

  /** To be called when a stream begins; the returned function when it is over. */
  open(isAllowed: Check, end: () => void): () => void {
    const stream = { isAllowed, end };
    this.#streams.add(stream);
    return () => this.#streams.delete(stream);
  }

  /** Ends those whose credential is good no more. Settles when all have been looked at. */
  async review(): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => this.#review(stream)));
  }

  async #review(stream: Stream): Promise<void> {
    const isAllowed = await stream.isAllowed().catch((error: unknown) => {
      // A store that cannot be read is asked again, and has its own way to tell; nobody is cut off for its trouble.
      if (!(error instanceof Refusal)) this.#reportBug(error);
      return true;
    });
    if (isAllowed || !this.#streams.delete(stream)) return;
    stream.end();
  }
}
