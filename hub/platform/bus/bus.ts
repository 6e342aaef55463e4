import type { BusFrame } from '@svc/core/bus/frame';

/** `all`: every hub. `workspace.{id}`: those at which somebody follows it. `hub.{id}`: that one. */
export type BusSubject = 'all' | `workspace.${string}` | `hub.${string}`;

export type Asked =
  | { readonly kind: 'answered'; readonly frame: BusFrame }
  /** No hub has this id and is on the bus: known at once. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'late' }
  /** This hub is not on the bus. */
  | { readonly kind: 'lost' };

/**
 * What hubs tell each other through. It promises nothing: what is lost on the way, or while the bus cannot be reached, is found
 * in the store by whoever looks.
 */
export interface Bus {
  readonly isConnected: boolean;
  /** How many frames came that were none. */
  readonly ignored: number;
  /** Under this id it is asked, and tells. To be called once. */
  join(hubId: string): void;
  /** To everybody on the subject but this hub; to nobody while the bus cannot be reached. */
  publish(to: BusSubject, frame: BusFrame): void;
  subscribe(to: BusSubject, hear: (frame: BusFrame, from: string) => void): () => void;
  ask(hubId: string, frame: BusFrame, withinMs: number): Promise<Asked>;
  /** How this hub answers; one that settles to nothing leaves the question open. To be called once. */
  answer(answer: (frame: BusFrame, from: string) => Promise<BusFrame | undefined>): void;
  /** A message to whoever hears this feed: one hub, or none. */
  feed(feedId: string, message: Uint8Array): void;
  /** In the order in which they were said; some may be missing. */
  hearFeed(feedId: string, hear: (message: Uint8Array) => void): () => void;
  /** Calls each time that the bus is reached, or is lost. */
  onState(hear: (isConnected: boolean) => void): void;
  /** What was published before is on its way when it settles. */
  close(): Promise<void>;
}
