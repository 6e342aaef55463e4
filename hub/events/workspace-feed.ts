import { type LiveEvent, permissionFor } from '@svc/core/live-event/live-event';
import { wireLiveEvent } from '@svc/core/live-event/wire';
import { may, type Permission, type Role } from '@svc/core/workspace/permissions';
import type { LiveEventBundle } from './event-bus.ts';

/** So much is remembered for those who are behind, or away for a moment. */
const REMEMBERED = 1_000;

/** One event as it goes over the wire, and who may hear it. */
interface Item {
  readonly permission: Permission;
  readonly frame: string;
}

/** What a listener is given: events in the form of a stream. `reset` is among them where something is missing. */
interface Heard {
  readonly frames: string;
  /** Where it goes on. */
  readonly position: number;
}

/**
 * What has happened last in one workspace, once for all who listen: each of them is only a place in it. Whoever falls behind
 * further than it reaches is told so, and goes on with what is new.
 */
export class WorkspaceFeed {
  readonly #name: string;
  readonly #items: Item[] = [];
  readonly #waiting = new Set<() => void>();
  /** How many there were in all; the last of them is at the end of the items. */
  #count = 0;

  /** @param name is part of the ids, so that those of another feed are known as such */
  constructor(name: string) {
    this.#name = name;
  }

  /** Where somebody begins who has read nothing. */
  get end(): number {
    return this.#count;
  }

  /** The place behind the event with this id; undefined when it is of another feed, or forgotten. */
  positionAfter(id: string): number | undefined {
    const [name, number, ...rest] = id.split('-');
    if (name !== this.#name || rest.length > 0 || !/^\d{1,15}$/.test(number ?? '')) return undefined;
    const position = Number(number);
    return position <= this.#count && position >= this.#oldest ? position : undefined;
  }

  add(bundle: LiveEventBundle): void {
    if (bundle === 'overfull') this.#forget();
    else for (const news of bundle) this.#append(news);
    for (const wake of [...this.#waiting]) wake();
  }

  /** What is behind the position, as far as the role may hear it; undefined when there is nothing yet. */
  after(position: number, role: Role): Heard | undefined {
    if (position < this.#oldest) return { frames: this.reset(), position: this.#count };
    if (position === this.#count) return undefined;
    const items = this.#items.slice(position - this.#oldest);
    const frames = items.filter(({ permission }) => may(role, permission)).map(({ frame }) => frame);
    return { frames: frames.join(''), position: this.#count };
  }

  /** Tells somebody who is at the end that their beginning is known from here on. */
  ready(): string {
    return encode(this.#name, this.#count, { type: 'ready' });
  }

  reset(): string {
    return encode(this.#name, this.#count, { type: 'reset' });
  }

  /** Calls once when there is something new; the returned function withdraws that. */
  whenNew(wake: () => void): () => void {
    const once = () => {
      this.#waiting.delete(once);
      wake();
    };
    this.#waiting.add(once);
    return () => this.#waiting.delete(once);
  }

  get #oldest(): number {
    return this.#count - this.#items.length;
  }

  #append(news: LiveEvent): void {
    this.#count += 1;
    const frame = encode(this.#name, this.#count, wireLiveEvent(news));
    this.#items.push({ permission: permissionFor(news), frame });
    if (this.#items.length > REMEMBERED) this.#items.shift();
  }

  /** NOTE: A number is left out, so that whoever was at the end is behind now, too. */
  #forget(): void {
    this.#items.length = 0;
    this.#count += 1;
  }
}

function encode(name: string, count: number, event: object): string {
  return `id: ${name}-${count}\ndata: ${JSON.stringify(event)}\n\n`;
}

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
