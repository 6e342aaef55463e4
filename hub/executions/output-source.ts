import type { Ended } from '@svc/core/execution/outcome';
import type { OutputChunk } from './execution-ports.ts';
import type { LiveExecution } from './live/live-execution.ts';
import type { FeedOutcome } from './remote/feed-sink.ts';
import type { OpenFeed, RemoteHubs } from './remote/remote-hubs.ts';

/** What comes of an execution that runs; `broken` and `moved`: no more from here, and the record says where it goes on. */
export type SourceEvent = FeedOutcome;

/** Where output of a running execution comes from: from its agent at this hub, or by way of another hub. */
export interface OutputSource {
  /** All before this number is on record. */
  readonly fromSeq: number;
  /** The hub that it comes from; undefined: this one. */
  readonly hubId: string | undefined;
  /** How it ended, where that is known without a look at the record. */
  readonly ended: Promise<Ended> | undefined;
  next(): Promise<SourceEvent>;
  /** Nothing more of it is wanted. */
  close(): void;
}

export function hereSource(live: LiveExecution): OutputSource {
  const { reader, unstored } = live.follow();
  let first: readonly OutputChunk[] = unstored;
  return {
    fromSeq: unstored[0]?.seq ?? live.receivedSeq + 1,
    hubId: undefined,
    ended: live.ended,
    next() {
      if (first.length === 0) return reader.next();
      const chunks = first;
      first = [];
      return Promise.resolve({ kind: 'output', chunks });
    },
    close: () => live.unfollow(reader),
  };
}

export function remoteSource(elsewhere: RemoteHubs, { sink, fromSeq, hubId }: OpenFeed): OutputSource {
  return {
    fromSeq,
    hubId,
    ended: undefined,
    next: () => sink.next(),
    close: () => elsewhere.close(sink),
  };
}
