import type { BusFrame } from '@svc/core/bus/frame';

/**
 * `all`: every hub. `tails`: every hub that knows tails. `workspace.{id}`: the hubs with followers of the workspace. `hub.{id}`: one
 * hub.
 */
export type BusSubject = 'all' | 'tails' | `workspace.${string}` | `hub.${string}`;

export type BusReply =
  | { readonly kind: 'answered'; readonly frame: BusFrame }
  /** No hub with this id is on the bus. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'late' }
  /** This hub is not on the bus. */
  | { readonly kind: 'lost' };

/**
 * The bus between hubs. Delivery is not guaranteed: a hub finds lost messages, and those during an outage, by polling
 * the store.
 */
export interface Bus {
  readonly isConnected: boolean;
  /** The number of malformed frames received. */
  readonly ignored: number;
  /** Joins the bus with the id of this hub. Called once. */
  join(hubId: string): void;
  /** Publishes to all other hubs on the subject; to none while the bus is unreachable. */
  publish(to: BusSubject, frame: BusFrame): void;
  subscribe(to: BusSubject, listener: (frame: BusFrame, from: string) => void): () => void;
  ask(hubId: string, frame: BusFrame, withinMs: number): Promise<BusReply>;
  /** Sets the handler of questions. A handler that returns nothing leaves the question unanswered. Called once. */
  answer(answer: (frame: BusFrame, from: string) => Promise<BusFrame | undefined>): void;
  /** Sends a message to the subscriber of a feed: one hub, or none. */
  feed(feedId: string, message: Uint8Array): void;
  /** Subscribes to a feed. Messages arrive in order; some may be missing. */
  subscribeFeed(feedId: string, listener: (message: Uint8Array) => void): () => void;
  /** Calls back each time the bus is connected or lost. */
  onState(listener: (isConnected: boolean) => void): void;
  /** Publishes nothing more. Resolves when earlier messages were sent. */
  close(): Promise<void>;
}
