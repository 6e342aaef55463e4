import type { Role } from '@svc/core/workspace/permissions';
import type { WorkspaceFeed } from './workspace-feed.ts';

/** One connection that follows a workspace. It holds no events: they wait in the feed until it has room for them. */
export class FeedListener {
  readonly #feed: WorkspaceFeed;
  readonly #role: Role;
  readonly #onStop: () => void;
  #position: number;
  #greeting: string;
  #isOver = false;
  #wake: (() => void) | undefined;

  /** @param after the id of the last event that it has; it is told when some are missing since */
  constructor(feed: WorkspaceFeed, role: Role, after: string | undefined, onStop: () => void) {
    this.#feed = feed;
    this.#role = role;
    this.#onStop = onStop;
    const known = after === undefined ? undefined : feed.positionAfter(after);
    this.#position = known ?? feed.end;
    if (known === undefined) this.#greeting = after === undefined ? feed.ready() : feed.reset();
    else this.#greeting = '';
  }

  /** Events in the form of a stream, as soon as there are some; undefined when it is over. For one caller at a time. */
  async next(): Promise<string | undefined> {
    if (this.#greeting !== '') return this.#greet();
    while (!this.#isOver) {
      const heard = this.#feed.after(this.#position, this.#role);
      this.#position = heard?.position ?? this.#position;
      if (heard !== undefined && heard.frames !== '') return heard.frames;
      if (heard === undefined) await this.#news();
    }
    return undefined;
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake?.();
    this.#onStop();
  }

  #greet(): string {
    const greeting = this.#greeting;
    this.#greeting = '';
    return greeting;
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      const withdraw = this.#feed.whenNew(resolve);
      this.#wake = () => {
        withdraw();
        resolve();
      };
    });
  }
}
