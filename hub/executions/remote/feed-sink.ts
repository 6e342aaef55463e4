import { decodeFeedMessage, type FeedMessage } from '@svc/core/bus/feed-message';
import type { Fed } from '@svc/core/bus/frame';
import type { Ended } from '@svc/core/execution/outcome';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Random } from '../../platform/world.ts';
import type { OutputChunk } from '../execution-ports.ts';
import { FEED_WINDOW_BYTES } from './feed-source.ts';

/** Output of an execution that another hub has; `broken`: some of it was lost on the way, or all that comes. */
export type FeedOutcome = { readonly kind: 'output'; readonly chunks: readonly OutputChunk[] } | FeedEnd;

/** `ended`: how, where that came with it. */
type FeedEnd =
  | { readonly kind: 'ended'; readonly ended?: Ended | undefined }
  | { readonly kind: 'moved' | 'dropped' | 'broken' };

/** How much is gathered before the other hub is told that it has gone on. */
const TOLD_BYTES = FEED_WINDOW_BYTES / 4;
/** A hub that does not answer by then is asked no more: the record is read instead. */
const FOLLOWED_WITHIN_MS = 2_000;

const BROKEN: FeedEnd = { kind: 'broken' };

/** A feed that is asked for, and heard from the first message on. */
export class FeedSink {
  readonly id: string;
  readonly #bus: Bus;
  readonly #executionId: string;
  readonly #unsubscribe: () => void;
  #owner = '';
  #heard: OutputChunk[] = [];
  #end: FeedEnd | undefined;
  #number = 0;
  #untoldBytes = 0;
  #waiting: ((outcome: FeedOutcome) => void) | undefined;

  constructor(bus: Bus, random: Random, executionId: string) {
    this.id = random.uuid();
    this.#bus = bus;
    this.#executionId = executionId;
    this.#unsubscribe = bus.hearFeed(this.id, (message) => this.#hear(message));
  }

  /** Asks the hub that has the execution; undefined when it does not have it, or does not answer. */
  async open(hubId: string): Promise<Fed | undefined> {
    this.#owner = hubId;
    const frame = { type: 'follow', executionId: this.#executionId, feed: this.id } as const;
    const asked = await this.#bus.ask(hubId, frame, FOLLOWED_WITHIN_MS);
    return asked.kind === 'answered' && asked.frame.type === 'feeds' ? asked.frame.fed : undefined;
  }

  /** This hub feeds it: it was told so by its answer to another question. */
  comesFrom(hubId: string): void {
    this.#owner = hubId;
  }

  /** All that has come, as soon as there is something; for one caller at a time. */
  next(): Promise<FeedOutcome> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#deliver();
    });
  }

  /** Nothing more of it is wanted. */
  close(): void {
    this.#unsubscribe();
    if (this.#end === undefined && this.#owner !== '')
      this.#bus.publish(`hub.${this.#owner}`, { type: 'unfollow', feed: this.id });
    this.#finish(BROKEN);
  }

  #hear(bytes: Uint8Array): void {
    if (this.#end !== undefined) return;
    const message = decodeFeedMessage(bytes);
    this.#number += 1;
    if (message?.number !== this.#number) this.#finish(BROKEN);
    else this.#take(message);
  }

  #take(message: FeedMessage): void {
    if (message.kind === 'output') {
      const { seq, endings, sse } = message;
      this.#heard.push({ executionId: this.#executionId, seq, endings, sse });
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
    const chunks = this.#heard;
    if (chunks.length === 0) return this.#end;
    this.#heard = [];
    this.#tell(chunks);
    return { kind: 'output', chunks };
  }

  #tell(chunks: readonly OutputChunk[]): void {
    for (const { sse } of chunks) this.#untoldBytes += sse.length;
    if (this.#untoldBytes < TOLD_BYTES || this.#end !== undefined) return;
    this.#bus.publish(`hub.${this.#owner}`, { type: 'fed', feed: this.id, bytes: this.#untoldBytes });
    this.#untoldBytes = 0;
  }
}
