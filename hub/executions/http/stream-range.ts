import type { RouteQuery } from '@svc/core/api/routes';
import { END_ID, positionBefore, readPosition, type StreamPosition } from '@svc/core/execution/event-ids';
import type { SkippedOutput } from '@svc/core/execution/skipped-output';
import { refuse } from '@svc/core/refusal';
import type { ReadPacer } from '../../platform/read-pacer.ts';
import type { Execution, ExecutionLedger } from '../execution-ports.ts';
import { findLastEvents } from '../stored-output.ts';

/** The events of a stream that its reader asks for (decision 90, output from its end). */
export interface StreamRange {
  readonly after: StreamPosition;
  /** Undefined: the stream goes on to the end of the execution. */
  readonly before: StreamPosition | undefined;
  /** Undefined: the range begins with the first event, or its reader knows what is before it. */
  readonly skipped: SkippedOutput | undefined;
}

interface StreamRangeDeps {
  readonly ledger: Pick<ExecutionLedger, 'outputBack'>;
  readonly readPacer: Pick<ReadPacer, 'run'>;
}

/** The range of a request; `end`: its reader has everything. Throws `invalid_argument`. */
export async function streamRange(
  { ledger, readPacer }: StreamRangeDeps,
  { id, workspaceId }: Pick<Execution, 'id' | 'workspaceId'>,
  request: Pick<Request, 'headers' | 'signal'>,
  query: Pick<RouteQuery<'streamExecution'>, 'after' | 'before' | 'last'>,
): Promise<StreamRange | typeof END_ID> {
  const { last } = query;
  const lastEventId = request.headers.get('last-event-id');
  if (last !== undefined && query.after !== undefined)
    throw refuse('invalid_argument', 'last: expected without after, which already says where to begin');
  const before = query.before === undefined ? undefined : positionBefore(query.before);
  if (query.before !== undefined && before === undefined)
    throw refuse('invalid_argument', 'before: the id of an event of this stream expected');
  // A browser that reconnects sends the same URL, and the header says what it has.
  if (last !== undefined && lastEventId === null) {
    const find = () => findLastEvents(ledger, id, last, { before, signal: request.signal });
    // Without `before` all that is before the last events is counted, which may take as long as a list (decision 62, reads apart from calls).
    const found = before === undefined ? await readPacer.run(workspaceId, find) : await find();
    const isWhole = before !== undefined || found.skipped.events === 0;
    return { after: found.from, before, skipped: isWhole ? undefined : found.skipped };
  }
  const after = readPosition(lastEventId ?? query.after ?? '0');
  if (after === undefined)
    throw refuse('invalid_argument', 'after: the id of an event of this stream expected');
  return after === END_ID ? END_ID : { after, before, skipped: undefined };
}
