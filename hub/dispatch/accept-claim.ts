import type { BusFrameOf } from '@svc/core/bus/frame';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { FeedSource } from '../executions/remote/feed-source.ts';
import type { ExecutionQueue } from './queue.ts';

interface ClaimDeps {
  readonly ledger: Pick<ExecutionLedger, 'find'>;
  readonly queue: ExecutionQueue;
  readonly executions: RunningExecutions;
  readonly feeds: FeedSource;
}

/**
 * Dispatches an execution that another hub has stored for a caller who waits at that hub. The frame alone proves nothing: only an
 * execution that is stored as queued is dispatched, once, as any other.
 */
export async function acceptClaim(
  { ledger, queue, executions, feeds }: ClaimDeps,
  { executionId, feed }: BusFrameOf<'take'>,
  from: string,
): Promise<BusFrameOf<'taken'>> {
  const execution = await ledger.find(executionId);
  if (execution?.state !== 'queued') return { type: 'taken', as: 'not_queued' };
  const as = await queue.claim(execution);
  const live = executions.find(executionId)?.live;
  if (as !== 'begun' || feed === undefined || live === undefined) return { type: 'taken', as };
  return { type: 'taken', as, fed: feeds.open(live, feed, from) };
}
