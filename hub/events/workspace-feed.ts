import { type LiveEvent, permissionFor, slugOf } from '@svc/core/live-event/live-event';
import { wireLiveEvent } from '@svc/core/live-event/wire';
import type { EndpointRights } from '@svc/core/workspace/endpoint-rights';
import { may, type Permission, type Role } from '@svc/core/workspace/permissions';
import type { LiveEventBundle } from './event-bus.ts';

/** The number of events kept for listeners that are behind or reconnecting. */
const REMEMBERED = 1_000;

/** One encoded event, and the permission that it requires. */
interface Item {
  readonly permission: Permission;
  /** The endpoint or pipeline that it is about; undefined: none, or several. */
  readonly slug: string | undefined;
  readonly frame: string;
}

/** What decides which events a listener gets. */
export interface ListenerRights {
  readonly role: Role;
  /** Undefined: the role decides. */
  readonly rights?: EndpointRights | undefined;
}

/** Encoded events for a listener; `reset` replaces events that are missing. */
interface Batch {
  readonly frames: string;
  /** The position after these events. */
  readonly position: number;
}

/**
 * The last events of one workspace, shared by all listeners: each listener is only a position. A listener that falls behind the
 * oldest event gets a `reset` and continues with new events.
 */
export class WorkspaceFeed {
  readonly #name: string;
  readonly #items: Item[] = [];
  readonly #waiting = new Set<() => void>();
  /** The number of all events so far; the last one is at the end of the items. */
  #count = 0;

  /** @param name is part of the ids, so that ids of other feeds are recognized */
  constructor(name: string) {
    this.#name = name;
  }

  /** The position of a listener that has read nothing. */
  get end(): number {
    return this.#count;
  }

  /** The position after the event with this id; undefined when it belongs to another feed or was dropped. */
  positionAfter(id: string): number | undefined {
    const [name, number, ...rest] = id.split('-');
    if (name !== this.#name || rest.length > 0 || !/^\d{1,15}$/.test(number ?? '')) return undefined;
    const position = Number(number);
    return position <= this.#count && position >= this.#oldest ? position : undefined;
  }

  add(bundle: LiveEventBundle): void {
    if (bundle === 'overfull') this.#forget();
    else for (const nextEvent of bundle) this.#append(nextEvent);
    for (const wake of [...this.#waiting]) wake();
  }

  /** The events after a position that the listener may see; undefined when there are none yet. */
  after(position: number, listener: ListenerRights): Batch | undefined {
    if (position < this.#oldest) return { frames: this.reset(), position: this.#count };
    if (position === this.#count) return undefined;
    const items = this.#items.slice(position - this.#oldest);
    const frames = items.filter((item) => isFor(item, listener)).map(({ frame }) => frame);
    return { frames: frames.join(''), position: this.#count };
  }

  /** Wakes a listener at the end, so that it learns its position. */
  ready(): string {
    return encode(this.#name, this.#count, { type: 'ready' });
  }

  reset(): string {
    return encode(this.#name, this.#count, { type: 'reset' });
  }

  /** Calls back once when there is a new event; the returned function cancels that. */
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

  #append(nextEvent: LiveEvent): void {
    this.#count += 1;
    const frame = encode(this.#name, this.#count, wireLiveEvent(nextEvent));
    this.#items.push({ permission: permissionFor(nextEvent), slug: slugOf(nextEvent), frame });
    if (this.#items.length > REMEMBERED) this.#items.shift();
  }

  /** NOTE: One number is skipped, so that a listener at the end is behind too and gets the `reset`. */
  #forget(): void {
    this.#items.length = 0;
    this.#count += 1;
  }
}

/** A listener whose endpoints are those of grants only gets nothing that is not about one of them. */
function isFor({ permission, slug }: Item, { role, rights }: ListenerRights): boolean {
  if (!may(role, permission)) return false;
  return !rights?.isLimited || (slug !== undefined && rights.may('view', slug));
}

function encode(name: string, count: number, event: object): string {
  return `id: ${name}-${count}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** One connection that follows a workspace. It buffers nothing: events wait in the feed until the connection has room. */
export class FeedListener {
  readonly #feed: WorkspaceFeed;
  readonly #rights: ListenerRights;
  readonly #onStop: () => void;
  #position: number;
  #greeting: string;
  #isOver = false;
  #wake: (() => void) | undefined;

  /** @param after the id of the last event that the listener has; it gets a `reset` when later ones are missing */
  constructor(feed: WorkspaceFeed, rights: ListenerRights, after: string | undefined, onStop: () => void) {
    this.#feed = feed;
    this.#rights = rights;
    this.#onStop = onStop;
    const known = after === undefined ? undefined : feed.positionAfter(after);
    this.#position = known ?? feed.end;
    if (known === undefined) this.#greeting = after === undefined ? feed.ready() : feed.reset();
    else this.#greeting = '';
  }

  /** Events as text of the stream, as soon as there are some; undefined at the end. One caller at a time. */
  async next(): Promise<string | undefined> {
    if (this.#greeting !== '') return this.#greet();
    while (!this.#isOver) {
      const batch = this.#feed.after(this.#position, this.#rights);
      this.#position = batch?.position ?? this.#position;
      if (batch !== undefined && batch.frames !== '') return batch.frames;
      if (batch === undefined) await this.#nextEvent();
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

  #nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      const withdraw = this.#feed.whenNew(resolve);
      this.#wake = () => {
        withdraw();
        resolve();
      };
    });
  }
}
