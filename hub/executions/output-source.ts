import type { Ended } from '@svc/core/execution/outcome';
import type { OutputChunk } from './execution-ports.ts';
import type { LiveExecution } from './live/live-execution.ts';
import type { FeedOutcome } from './remote/feed-sink.ts';
import type { OpenFeed, RemoteHubs } from './remote/remote-hubs.ts';

/** An event of a running execution. `broken` and `moved`: this source ends, and the record says which hub continues. */
export type SourceEvent = FeedOutcome;

/** The source of a running execution's output: its agent at this hub, or a remote hub. */
export interface OutputSource {
  /** All output before this number is stored. */
  readonly fromSeq: number;
  /** The hub that sends the output; undefined: this hub. */
  readonly hubId: string | undefined;
  /** The end, where it is known without reading the record. */
  readonly ended: Promise<Ended> | undefined;
  next(): Promise<SourceEvent>;
  /** Closes the source. */
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
