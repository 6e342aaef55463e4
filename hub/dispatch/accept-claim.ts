import type { BusFrameOf } from '@svc/core/bus/frame';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { FeedSource } from '../executions/remote/feed-source.ts';
import type { ExecutionQueue } from './queue.ts';

interface TakePorts {
  readonly ledger: Pick<ExecutionLedger, 'find'>;
  readonly queue: ExecutionQueue;
  readonly executions: RunningExecutions;
  readonly feeds: FeedSource;
}

/**
 * Another hub has a caller, and asks this one to run what it has put on record for it. Who asks is not believed: only what is
 * on record as queued is begun, once, and only as any other would be.
 */
export async function acceptClaim(
  { ledger, queue, executions, feeds }: TakePorts,
  { executionId, feed }: BusFrameOf<'take'>,
  from: string,
): Promise<BusFrameOf<'taken'>> {
  const execution = await ledger.find(executionId);
  if (execution?.state !== 'queued') return { type: 'taken', as: 'not_queued' };
  const as = await queue.giveNow(execution);
  const live = executions.find(executionId)?.live;
  if (as !== 'begun' || feed === undefined || live === undefined) return { type: 'taken', as };
  return { type: 'taken', as, fed: feeds.open(live, feed, from) };
}
