import { Refusal } from '@svc/core/refusal';

/** Whether the credential that a stream was opened with is still good for it; a rejection that is no refusal says nothing about it. */
type Check = () => Promise<boolean>;

interface Stream {
  readonly isAllowed: Check;
  readonly end: () => void;
}

/** Answers that go on for long, each by the credential that it was asked for with: they end when that does (decision 44). */
export class OpenStreams {
  readonly #streams = new Set<Stream>();
  readonly #reportBug: (error: unknown) => void;
  readonly #reviewElsewhere: (() => Promise<unknown>) | undefined;

  /** @param reviewElsewhere has other hubs do the same, as far as they can be reached */
  constructor(reportBug: (error: unknown) => void, reviewElsewhere?: () => Promise<unknown>) {
    this.#reportBug = reportBug;
    this.#reviewElsewhere = reviewElsewhere;
  }

  /** To be called when a stream begins; the returned function when it is over. */
  open(isAllowed: Check, end: () => void): () => void {
    const stream = { isAllowed, end };
    this.#streams.add(stream);
    return () => this.#streams.delete(stream);
  }

  /** Ends those whose credential is good no more, at every hub. Settles when all have been looked at. */
  async review(): Promise<void> {
    await Promise.all([this.reviewHere(), this.#reviewElsewhere?.()]);
  }

  /** The same at this hub alone. */
  async reviewHere(): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => this.#review(stream)));
  }

  async #review(stream: Stream): Promise<void> {
    const isAllowed = await stream.isAllowed().catch((error: unknown) => {
      // Of a store that cannot be read nothing is learnt: it is asked again, and nobody is cut off for its trouble.
      if (error instanceof Refusal) return error.code === 'unavailable';
      this.#reportBug(error);
      return true;
    });
    if (isAllowed || !this.#streams.delete(stream)) return;
    stream.end();
  }
}
