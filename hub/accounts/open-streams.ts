import { Refusal } from '@svc/core/refusal';

/** Whether the credential of a stream is still valid. A refusal means no; `unavailable` and other errors decide nothing. */
type Check = () => Promise<boolean>;

interface Stream {
  readonly isAllowed: Check;
  readonly end: () => void;
}

/** Long responses with their credentials. A response ends when its credential does (decision 44, sign-in). */
export class OpenStreams {
  readonly #streams = new Set<Stream>();
  readonly #reportBug: (error: unknown) => void;
  readonly #recheckOnOtherHubs: (() => Promise<unknown>) | undefined;

  /** @param reviewElsewhere asks the other reachable hubs to check their streams */
  constructor(reportBug: (error: unknown) => void, recheckOnOtherHubs?: () => Promise<unknown>) {
    this.#reportBug = reportBug;
    this.#recheckOnOtherHubs = recheckOnOtherHubs;
  }

  /** Registers a stream. The returned function removes it. */
  open(isAllowed: Check, end: () => void): () => void {
    const stream = { isAllowed, end };
    this.#streams.add(stream);
    return () => this.#streams.delete(stream);
  }

  /** Ends the streams with an invalid credential at every hub. Settles when all were checked. */
  async recheck(): Promise<void> {
    await Promise.all([this.recheckHere(), this.#recheckOnOtherHubs?.()]);
  }

  /** Ends the streams with an invalid credential at this hub. */
  async recheckHere(): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => this.#recheck(stream)));
  }

  async #recheck(stream: Stream): Promise<void> {
    const isAllowed = await stream.isAllowed().catch((error: unknown) => {
      // An unavailable store decides nothing: the check is repeated later, and the stream continues.
      if (error instanceof Refusal) return error.code === 'unavailable';
      this.#reportBug(error);
      return true;
    });
    if (isAllowed || !this.#streams.delete(stream)) return;
    stream.end();
  }
}
