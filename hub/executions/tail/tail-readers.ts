import { refuse } from '@svc/core/refusal';
import type { TailFilter } from '@svc/core/tail/tail-filter';
import { type TailBatch, TailBuffer } from '@svc/core/tail/tail-line';
import type { RemoteTails } from './remote-tails.ts';
import type { Tails } from './tails.ts';

/** The tails of one member or key at this hub; every open page of a browser has one. */
const TAILS_PER_CALLER = 10;
const TAILS_PER_WORKSPACE = 50;
/** Lines that wait for one reader whose connection is full; later ones are counted and dropped. */
const WAITING = { lines: 2_000, chars: 512 * 1024 };

export interface TailRequest {
  readonly workspaceId: string;
  /** The member or API key. */
  readonly callerId: string;
  readonly filter: TailFilter;
  /** Whether the caller may see output of the endpoint; undefined: of every endpoint. */
  readonly shows?: ((slug: string) => boolean) | undefined;
}

/** The readers of tails that are connected to this hub. */
export class TailReaders {
  readonly #tails: Tails;
  readonly #remote: RemoteTails | undefined;
  readonly #readers = new Map<TailReader, TailRequest>();
  #isClosed = false;

  /** @param remote tails at other hubs; undefined without a bus */
  constructor(tails: Tails, remote: RemoteTails | undefined) {
    this.#tails = tails;
    this.#remote = remote;
  }

  /** Reads the lines of executions at every hub from now on. Refuses a caller or workspace that has too many readers. */
  open(request: TailRequest): TailReader {
    const { workspaceId, callerId, filter, shows } = request;
    const ofWorkspace = [...this.#readers.values()].filter((one) => one.workspaceId === workspaceId);
    limit(ofWorkspace.filter((one) => one.callerId === callerId).length, TAILS_PER_CALLER, 'of yours');
    limit(ofWorkspace.length, TAILS_PER_WORKSPACE, 'of this workspace');
    const closing: (() => void)[] = [];
    const reader = new TailReader(() => {
      this.#readers.delete(reader);
      for (const close of closing) close();
    });
    this.#readers.set(reader, request);
    const add = (batch: TailBatch) => reader.add(shows === undefined ? batch : only(batch, shows));
    closing.push(this.#tails.open(workspaceId, filter, add));
    if (this.#remote !== undefined) closing.push(this.#remote.open(workspaceId, filter, add));
    if (this.#isClosed) reader.stop();
    return reader;
  }

  /** The hub stops: readers should reconnect to another hub, or to this one when it is back. */
  close(): void {
    this.#isClosed = true;
    for (const reader of [...this.#readers.keys()]) reader.stop();
  }
}

/** What was dropped is counted for the whole workspace, so a limited reader does not get the number. */
function only({ lines }: TailBatch, shows: (slug: string) => boolean): TailBatch {
  return { lines: lines.filter(({ endpoint }) => shows(endpoint)), dropped: 0 };
}

function limit(count: number, most: number, of: string): void {
  if (count >= most)
    throw refuse('concurrency_limited', `${most} tails ${of} are open already`, { limit: most });
}

/** A bounded queue of lines for one response. */
export class TailReader {
  readonly #onStop: () => void;
  readonly #buffer = new TailBuffer(WAITING);
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(onStop: () => void) {
    this.#onStop = onStop;
  }

  add({ lines, dropped }: TailBatch): void {
    for (const line of lines) this.#buffer.add(line);
    this.#buffer.drop(dropped);
    this.#wake?.();
  }

  /** Everything that waits, as soon as there is something; undefined at the end. One caller at a time. */
  async next(): Promise<TailBatch | undefined> {
    while (!this.#isOver && this.#buffer.isEmpty)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#isOver ? undefined : this.#buffer.take();
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake?.();
    this.#onStop();
  }
}
