import type { RouteQuery } from '@svc/core/api/routes';
import { END_ID, positionBefore, readPosition, type StreamPosition } from '@svc/core/execution/event-ids';
import type { SkippedOutput } from '@svc/core/execution/skipped-output';
import { refuse } from '@svc/core/refusal';
import type { ExecutionLedger } from '../execution-ports.ts';
import { findLastEvents } from '../stored-output.ts';

/** The events of a stream that its reader asks for (decision 90, output from its end). */
export interface StreamRange {
  readonly after: StreamPosition;
  /** Undefined: the stream goes on to the end of the execution. */
  readonly before: StreamPosition | undefined;
  /** Undefined: the range begins with the first event, or its reader knows what is before it. */
  readonly skipped: SkippedOutput | undefined;
}

/** After all output that can be stored. */
const END_OF_STORED: StreamPosition = { seq: Number.MAX_SAFE_INTEGER - 1, events: 0 };

/** The range of a request; `end`: its reader has everything. Throws `invalid_argument`. */
export async function streamRange(
  { ledger }: { readonly ledger: Pick<ExecutionLedger, 'outputBack'> },
  executionId: string,
  lastEventId: string | null,
  query: Pick<RouteQuery<'streamExecution'>, 'after' | 'before' | 'last'>,
): Promise<StreamRange | typeof END_ID> {
  const { last } = query;
  if (last !== undefined && query.after !== undefined)
    throw refuse('invalid_argument', 'last: expected without after, which already says where to begin');
  const before = borderOf(query.before);
  // A browser that reconnects sends the same URL, and the header says what it has.
  if (last !== undefined && lastEventId === null) {
    const found = await findLastEvents(ledger, executionId, last, before);
    const isWhole = before !== undefined || found.skipped.events === 0;
    return { after: found.from, before, skipped: isWhole ? undefined : found.skipped };
  }
  const after = readPosition(lastEventId ?? query.after ?? '0');
  if (after === undefined)
    throw refuse('invalid_argument', 'after: the id of an event of this stream expected');
  return after === END_ID ? END_ID : { after, before, skipped: undefined };
}

function borderOf(id: string | undefined): StreamPosition | undefined {
  const position = id === undefined ? undefined : positionBefore(id);
  return position === END_ID ? END_OF_STORED : position;
}
