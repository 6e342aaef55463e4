import type { Ended } from '@svc/core/execution/outcome';
import { hasEnded } from '@svc/core/execution/state';
import type { LiveExecution } from '../live/live-execution.ts';
import type { LiveReader } from '../live/live-reader.ts';
import type { RunningExecutions } from '../live/running-executions.ts';
import type { NextChange, StateChanges } from '../live/state-changes.ts';
import type { Execution, ExecutionLedger, OutputChunk } from '../ports/executions.ts';
import { isResultPiece, storedOutput } from './stored-output.ts';

/** Output, and at last how it ended; or that the reader did not keep up. */
export type Followed =
  | { readonly kind: 'output'; readonly chunks: readonly OutputChunk[] }
  | { readonly kind: 'ended'; readonly ended: Ended }
  | { readonly kind: 'dropped' };

export interface Following extends AsyncIterable<Followed> {
  /** To be called when nobody reads any more. */
  stop(): void;
}

type FollowPorts = {
  readonly ledger: ExecutionLedger;
  readonly executions: RunningExecutions;
  readonly changes: StateChanges;
  readonly hubId: string;
};

/** The output of an execution after `afterSeq`: what is on record, then what comes, without gap or double (decision 20). */
export function followExecution(ports: FollowPorts, execution: Execution, afterSeq: number): Following {
  const live = ports.executions.find(execution.id)?.live;
  if (live !== undefined) return followLive(live, ports.ledger, afterSeq);
  return isToStart(ports, execution)
    ? followLater(ports, execution, afterSeq)
    : replay(ports.ledger, execution, afterSeq);
}

/** Follows one that has just been dispatched: nothing of it can be on record yet. */
export function followNew(live: LiveExecution): Following {
  const { reader, unstored } = live.follow();
  return following(live, reader, async function* () {
    if (unstored.length > 0) yield { kind: 'output', chunks: unstored };
  });
}

function followLive(live: LiveExecution, ledger: ExecutionLedger, afterSeq: number): Following {
  // From this moment on nothing is missed; what is on record by now is read below.
  const { reader, unstored } = live.follow();
  return following(live, reader, async function* () {
    let last = afterSeq;
    const upTo = unstored[0]?.seq ?? live.receivedSeq + 1;
    for await (const chunk of storedOutput(ledger, live.id, afterSeq)) {
      if (chunk.seq >= upTo) break;
      last = chunk.seq;
      if (!isResultPiece(chunk)) yield { kind: 'output', chunks: [chunk] };
    }
    const rest = unstored.filter((chunk) => chunk.seq > last);
    if (rest.length > 0) yield { kind: 'output', chunks: rest };
  });
}

function following(
  live: LiveExecution,
  reader: LiveReader,
  begin: () => AsyncGenerator<Followed>,
): Following {
  return {
    stop: () => live.unfollow(reader),
    async *[Symbol.asyncIterator]() {
      let last = 0;
      for await (const one of begin()) {
        if (one.kind === 'output') last = one.chunks.at(-1)?.seq ?? last;
        yield one;
      }
      for (;;) {
        const next = await reader.next();
        if (next.kind === 'ended') yield { kind: 'ended', ended: await live.ended };
        else if (next.kind === 'dropped') yield next;
        else {
          const fresh = next.chunks.filter((chunk) => chunk.seq > last);
          if (fresh.length > 0) yield { kind: 'output', chunks: fresh };
          continue;
        }
        return;
      }
    },
  };
}

/** It waits for a person or an agent, or is on its way from the store to its agent. */
function isToStart({ hubId }: FollowPorts, { state, hubId: owner }: Execution): boolean {
  return state === 'pending_approval' || state === 'queued' || (state === 'running' && owner === hubId);
}

/** Nothing until it starts, or is known never to (decision 36). */
function followLater(ports: FollowPorts, execution: Execution, afterSeq: number): Following {
  let isStopped = false;
  let change: NextChange | undefined;
  let inner: Following | undefined;
  return {
    stop() {
      isStopped = true;
      change?.wake();
      inner?.stop();
    },
    async *[Symbol.asyncIterator]() {
      for (let now = execution; isToStart(ports, now) && !isStopped; ) {
        change = ports.changes.next(execution.id);
        now = (await ports.ledger.find(execution.id)) ?? now;
        if (ports.executions.find(execution.id) !== undefined || !isToStart(ports, now)) {
          change.wake();
          inner = followExecution(ports, now, afterSeq);
          return yield* inner;
        }
        await change.happened;
      }
      yield { kind: 'dropped' };
    },
  };
}

/** Of an execution that this hub does not run: its record, to the end of what is there. */
function replay(ledger: ExecutionLedger, execution: Execution, afterSeq: number): Following {
  return {
    stop: () => undefined,
    async *[Symbol.asyncIterator]() {
      for await (const chunk of storedOutput(ledger, execution.id, afterSeq)) {
        if (!isResultPiece(chunk)) yield { kind: 'output', chunks: [chunk] };
      }
      // It may have ended while its output was read.
      const now = (await ledger.find(execution.id)) ?? execution;
      yield hasEnded(now.state) ? { kind: 'ended', ended: now as Ended } : { kind: 'dropped' };
    },
  };
}
