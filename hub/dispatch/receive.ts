import type { WireEnding } from '@svc/core/protocol/frame';
import type { AgentAddress, AgentDirectory } from '../agents/directory-ports.ts';
import type { JournalMarks } from '../agents/journal-marks.ts';
import type { OutputChunk } from '../executions/execution-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { Clock } from '../platform/world.ts';
import { isOf } from './reconcile-agent.ts';

type ReceivePorts = { readonly clock: Clock; readonly agents: AgentDirectory } & {
  readonly executions: RunningExecutions;
  readonly journalMarks: Pick<JournalMarks, 'heard'>;
};

/** What a frame about an execution was: `gap` is one that no sound agent sends. */
export type Received = 'taken' | 'not_its_own' | 'gap';

/** Takes a piece of output; whatever is not of the agent's own executions is passed over. */
export function receiveOutput(
  ports: Pick<ReceivePorts, 'executions'>,
  from: AgentAddress,
  chunk: OutputChunk,
): Received {
  const running = ports.executions.find(chunk.executionId);
  if (running === undefined || !isOf(running.execution, from)) return 'not_its_own';
  return running.live.receive(chunk) ? 'taken' : 'gap';
}

export interface End {
  readonly executionId: string;
  readonly lastSeq: number;
  readonly ending: WireEnding;
  /** How far the agent's journal has come; undefined for one whose lines have no numbers. */
  readonly journalSeq?: number | undefined;
}

/** Takes how an execution ended. All output comes before it, so a missing piece means that the agent has lost count. */
export function receiveEnd(
  ports: ReceivePorts,
  from: AgentAddress,
  { executionId, lastSeq, ending, journalSeq }: End,
): Received {
  const running = ports.executions.find(executionId);
  if (running === undefined || !isOf(running.execution, from)) {
    // It is final already, or never was: either way there is nothing more to tell.
    ports.agents.acknowledgeEnd(from, executionId);
    return 'not_its_own';
  }
  if (running.live.receivedSeq !== lastSeq) return 'gap';
  const journal = journalSeq === undefined ? undefined : ports.journalMarks.heard(from, journalSeq);
  void running.live.end(ending, ports.clock.nowMs(), journal);
  return 'taken';
}
