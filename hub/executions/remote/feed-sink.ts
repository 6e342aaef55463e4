import { decodeFeedMessage, type FeedMessage } from '@svc/core/bus/feed-message';
import type { Fed } from '@svc/core/bus/frame';
import type { Ended } from '@svc/core/execution/outcome';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Random } from '../../platform/world.ts';
import type { OutputChunk } from '../execution-ports.ts';
import { FEED_WINDOW_BYTES } from './feed-source.ts';

/** An event of a remote execution. `broken`: messages were lost, so the feed ends. */
export type FeedOutcome = { readonly kind: 'output'; readonly chunks: readonly OutputChunk[] } | FeedEnd;

/** The end of a feed; `ended` is present when the message had it. */
type FeedEnd =
  | { readonly kind: 'ended'; readonly ended?: Ended | undefined }
  | { readonly kind: 'moved' | 'dropped' | 'broken' };

/** The number of consumed bytes after which the sender gets a report. */
const REPORT_BYTES = FEED_WINDOW_BYTES / 4;
/** A hub that does not answer within this time is given up; the record is read instead. */
const FOLLOWED_WITHIN_MS = 2_000;

const BROKEN: FeedEnd = { kind: 'broken' };

/** The receiving end of a feed: output of an execution that runs at another hub. It receives from the first message on. */
export class FeedSink {
  readonly id: string;
  readonly #bus: Bus;
  readonly #executionId: string;
  readonly #unsubscribe: () => void;
  #owner = '';
  #received: OutputChunk[] = [];
  #end: FeedEnd | undefined;
  #number = 0;
  #unreportedBytes = 0;
  #waiting: ((outcome: FeedOutcome) => void) | undefined;

  constructor(bus: Bus, random: Random, executionId: string) {
    this.id = random.uuid();
    this.#bus = bus;
    this.#executionId = executionId;
    this.#unsubscribe = bus.subscribeFeed(this.id, (message) => this.#onMessage(message));
  }

  /** Requests the feed from a hub; undefined when that hub does not have the execution, or does not answer. */
  async open(hubId: string): Promise<Fed | undefined> {
    this.#owner = hubId;
    const frame = { type: 'follow', executionId: this.#executionId, feed: this.id } as const;
    const reply = await this.#bus.ask(hubId, frame, FOLLOWED_WITHIN_MS);
    return reply.kind === 'answered' && reply.frame.type === 'feeds' ? reply.frame.fed : undefined;
  }

  /** Sets the sending hub, which is known from the answer to another request. */
  comesFrom(hubId: string): void {
    this.#owner = hubId;
  }

  /** Everything received, as soon as there is something. One caller at a time. */
  next(): Promise<FeedOutcome> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#deliver();
    });
  }

  /** Ends the feed and unsubscribes at the sender. */
  close(): void {
    this.#unsubscribe();
    if (this.#end === undefined && this.#owner !== '')
      this.#bus.publish(`hub.${this.#owner}`, { type: 'unfollow', feed: this.id });
    this.#finish(BROKEN);
  }

  #onMessage(bytes: Uint8Array): void {
    if (this.#end !== undefined) return;
    const message = decodeFeedMessage(bytes);
    this.#number += 1;
    if (message?.number !== this.#number) this.#finish(BROKEN);
    else this.#take(message);
  }

  #take(message: FeedMessage): void {
    if (message.kind === 'output') {
      const { seq, endings, sse } = message;
      this.#received.push({ executionId: this.#executionId, seq, endings, sse });
      this.#deliver();
    } else this.#finish(message);
  }

  #finish(end: FeedEnd): void {
    this.#end ??= end;
    this.#deliver();
  }

  #deliver(): void {
    const waiting = this.#waiting;
    const outcome = waiting && this.#outcome();
    if (outcome === undefined) return;
    this.#waiting = undefined;
    waiting?.(outcome);
  }

  #outcome(): FeedOutcome | undefined {
    const chunks = this.#received;
    if (chunks.length === 0) return this.#end;
    this.#received = [];
    this.#reportProgress(chunks);
    return { kind: 'output', chunks };
  }

  #reportProgress(chunks: readonly OutputChunk[]): void {
    for (const { sse } of chunks) this.#unreportedBytes += sse.length;
    if (this.#unreportedBytes < REPORT_BYTES || this.#end !== undefined) return;
    this.#bus.publish(`hub.${this.#owner}`, { type: 'fed', feed: this.id, bytes: this.#unreportedBytes });
    this.#unreportedBytes = 0;
  }
}
