import { encodeFeedMessage, type FeedEvent } from '@svc/core/bus/feed-message';
import type { Fed } from '@svc/core/bus/frame';
import { releaseMemory } from '@svc/core/execution/release-memory';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Clock } from '../../platform/world.ts';
import type { OutputChunk } from '../execution-ports.ts';
import { type LiveReader, PACE_MS } from '../live/fan-out.ts';
import type { LiveExecution } from '../live/live-execution.ts';

/** The limit of bytes in flight to a hub that has not reported them as consumed. */
export const FEED_WINDOW_BYTES = 2 * 1024 * 1024;

interface Feed {
  readonly id: string;
  readonly to: string;
  readonly live: LiveExecution;
  readonly reader: LiveReader;
  number: number;
  readonly window: FeedWindow;
  /** Called when the window has room again, or when the feed is over. */
  wake: () => void;
  isOver: boolean;
}

/**
 * Sends output of this hub's executions to hubs that follow them (decision 29, numbered output). A feed is one more reader of the
 * execution, so a slow reader at another hub paces the execution like one here (decision 21, callers that leave).
 */
export class FeedSource {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #reportBug: (error: unknown) => unknown;
  readonly #feeds = new Map<string, Feed>();

  constructor(bus: Bus, clock: Clock, reportBug: (error: unknown) => unknown) {
    this.#bus = bus;
    this.#clock = clock;
    this.#reportBug = reportBug;
    bus.onState((isConnected) => {
      // The receiving hubs read the record, and request new feeds.
      if (!isConnected) for (const feed of [...this.#feeds.values()]) this.#close(feed);
    });
  }

  /** Opens a feed of everything from now on, and of output that the store may not have yet. */
  open(live: LiveExecution, feedId: string, to: string): Fed {
    const { reader, unstored } = live.follow();
    const fromSeq = unstored[0]?.seq ?? live.receivedSeq + 1;
    const window = new FeedWindow(FEED_WINDOW_BYTES);
    const feed: Feed = { ...{ id: feedId, to, live, reader, window }, ...FRESH };
    this.#feeds.set(feedId, feed);
    this.#pump(feed, unstored).catch(this.#reportBug);
    return { fromSeq };
  }

  /** The receiving hub has consumed this many bytes. */
  fed(feedId: string, bytes: number): void {
    const feed = this.#feeds.get(feedId);
    if (feed === undefined) return;
    feed.window.advance(bytes);
    feed.wake();
  }

  close(feedId: string): void {
    const feed = this.#feeds.get(feedId);
    if (feed !== undefined) this.#close(feed);
  }

  /** Closes all feeds to a hub that is gone. */
  closeOf(hubId: string): void {
    for (const feed of [...this.#feeds.values()]) if (feed.to === hubId) this.#close(feed);
  }

  async #pump(feed: Feed, unstored: readonly OutputChunk[]): Promise<void> {
    if (await this.#send(feed, unstored)) {
      for (;;) {
        const next = await feed.reader.next();
        if (feed.isOver) return;
        if (next.kind === 'output') {
          if (!(await this.#send(feed, next.chunks))) break;
          continue;
        }
        this.#say(feed, next.kind === 'ended' ? await endOf(feed.live) : { kind: next.kind });
        break;
      }
    }
    this.#close(feed);
  }

  /** False when the feed is over. */
  async #send(feed: Feed, chunks: readonly OutputChunk[]): Promise<boolean> {
    for (const { seq, endings, sse, letGo } of chunks) {
      const bytes = sse.length;
      if (!feed.window.hasRoom(bytes)) await this.#untilRoom(feed, bytes);
      if (feed.isOver) return false;
      this.#say(feed, { kind: 'output', seq, endings, sse }, bytes);
      letGo?.();
    }
    return true;
  }

  async #untilRoom(feed: Feed, bytes: number): Promise<void> {
    // The remote reader is dropped earlier when it is too slow; this is for a hub that reports nothing at all.
    const giveUp = this.#clock.at(this.#clock.nowMs() + 2 * PACE_MS, () => this.#close(feed));
    while (!feed.isOver && !feed.window.hasRoom(bytes))
      await new Promise<void>((resolve) => {
        feed.wake = resolve;
      });
    giveUp();
  }

  #say(feed: Feed, event: FeedEvent, bytes = 0): void {
    feed.number += 1;
    const message = encodeFeedMessage({ ...event, number: feed.number });
    feed.window.add(message, bytes);
    this.#bus.feed(feed.id, message);
  }

  #close(feed: Feed): void {
    if (feed.isOver) return;
    feed.isOver = true;
    this.#feeds.delete(feed.id);
    feed.live.unfollow(feed.reader);
    feed.wake();
  }
}

async function endOf({ ended }: LiveExecution): Promise<FeedEvent> {
  return { kind: 'ended', ended: await ended };
}

const FRESH = { number: 0, wake: () => undefined, isOver: false };

/** The messages in flight that the receiving hub has not reported as consumed, in order, with the size of their output. */
export class FeedWindow {
  readonly #maxBytes: number;
  readonly #messages: { readonly message: Uint8Array; readonly bytes: number }[] = [];
  #bytes = 0;
  /** The consumed bytes of the oldest message. */
  #advancedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** A message that is longer than the window is sent alone. */
  hasRoom(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#maxBytes;
  }

  add(message: Uint8Array, bytes: number): void {
    this.#messages.push({ message, bytes });
    this.#bytes += bytes;
  }

  /** Advances the window by consumed bytes and releases the messages that had them. */
  advance(bytes: number): void {
    this.#advancedBytes += Math.min(bytes, this.#bytes);
    this.#bytes = Math.max(0, this.#bytes - bytes);
    for (let [oldest] = this.#messages; oldest !== undefined; [oldest] = this.#messages) {
      if (oldest.bytes > this.#advancedBytes) return;
      this.#advancedBytes -= oldest.bytes;
      releaseMemory(oldest.message);
      this.#messages.shift();
    }
  }
}
