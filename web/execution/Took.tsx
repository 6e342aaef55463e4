import { Elapsed } from '../design/time/Time.tsx';
import { duration } from '../design/time/time-words.ts';
import type { WireExecution } from './wire-execution.ts';

interface TookProps {
  readonly execution: Pick<WireExecution, 'duration_ms' | 'started_at' | 'ended_at'>;
}

/** The duration of an execution, also of a running one; nothing before its start. */
export function Took({
  execution: { duration_ms: ms, started_at: startedAt, ended_at: endedAt },
}: TookProps) {
  if (ms !== undefined) return <span className="whitespace-nowrap">{duration(ms)}</span>;
  return startedAt === null ? null : <Elapsed since={startedAt} until={endedAt} />;
}
