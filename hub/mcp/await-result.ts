import { endedResult, runningResult, type ToolResult, WITHOUT_PROGRESS_MS } from '@svc/core/mcp/call-result';
import { ProgressReports, type SendProgress } from '@svc/core/mcp/progress';
import { TailOutput } from '@svc/core/mcp/tail';
import type { Following } from '../executions/follow-execution.ts';
import { plainText } from '../executions/stored-output.ts';
import type { Clock } from '../platform/world.ts';

export interface AwaitResultDeps {
  readonly clock: Clock;
  readonly settings: { readonly forwardCapSec: number };
}

export interface Awaited {
  readonly executionId: string;
  readonly following: Following;
  /** Undefined: the client wants no progress. */
  readonly sendProgress: SendProgress | undefined;
  /** Epoch milliseconds; undefined: as long as clients wait. */
  readonly untilMs?: number | undefined;
}

/**
 * Follows an execution to its end and reports progress. If the execution takes longer, it continues and the agent gets its
 * id.
 */
export async function awaitResult(
  deps: AwaitResultDeps,
  awaited: Awaited,
): Promise<{ readonly result: ToolResult; readonly isRunning: boolean }> {
  const { clock, settings } = deps;
  const { executionId, following, sendProgress } = awaited;
  const output = new TailOutput();
  const reports = sendProgress && new ProgressReports(clock, output, sendProgress);
  const longestMs = sendProgress === undefined ? WITHOUT_PROGRESS_MS : settings.forwardCapSec * 1000;
  const uncap = clock.at(awaited.untilMs ?? clock.nowMs() + longestMs, () => following.stop());
  try {
    for await (const next of following) {
      if (next.kind === 'ended')
        return { result: endedResult(executionId, next.ended, output.tail()), isRunning: false };
      if (next.kind !== 'output') continue;
      for (const chunk of next.chunks) {
        output.add(plainText(chunk));
        chunk.letGo?.();
      }
      reports?.changed();
    }
    return { result: runningResult(executionId, output.lastLine), isRunning: true };
  } finally {
    reports?.end();
    uncap();
    following.stop();
  }
}
