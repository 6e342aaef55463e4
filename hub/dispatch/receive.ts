import type { LineTime } from '@svc/core/execution/line-times';
import type { ReceivedFile } from '@svc/core/execution/received-file';
import { LIMITS } from '@svc/core/plan/limits';
import type { AgentFrameOf, WireEnding } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { Refusal } from '@svc/core/refusal';
import type { AgentAddress, AgentDirectory } from '../agents/directory-ports.ts';
import type { JournalMarks } from '../agents/journal-marks.ts';
import type { OutputChunk } from '../executions/execution-ports.ts';
import type { ReceivedChunk } from '../executions/live/live-execution.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock } from '../platform/world.ts';
import { isOf } from './reconcile-agent.ts';
import { restoreInput } from './restore-values.ts';

type ReceiveDeps = { readonly clock: Clock; readonly agents: AgentDirectory } & {
  readonly executions: RunningExecutions;
  readonly journalMarks: Pick<JournalMarks, 'received'>;
};

type InputDeps = Parameters<typeof restoreInput>[0];

/** The result of a frame about an execution. */
export type Received = ReceivedChunk | 'not_its_own';

/** Why the hub closes the connection of an agent that broke the protocol. */
export const INVALID_OUTPUT = {
  gap: 'output is missing between the stored output and this frame',
  too_long: `the result of a transform is longer than ${LIMITS.transformResultBytes / 1024 ** 2} MiB`,
};

/** Receives a chunk of output; chunks of executions that are not the agent's own are ignored. */
export function receiveOutput(
  deps: Pick<ReceiveDeps, 'executions'>,
  from: AgentAddress,
  chunk: OutputChunk,
): Received {
  const running = deps.executions.find(chunk.executionId);
  if (running === undefined || !isOf(running.execution, from)) return 'not_its_own';
  return running.live.receive(chunk);
}

export interface End {
  readonly executionId: string;
  readonly lastSeq: number;
  readonly ending: WireEnding;
  /** The newest line of the agent's journal; undefined for a journal without line numbers. */
  readonly journalSeq?: number | undefined;
  /** The files that the command got. */
  readonly files?: readonly ReceivedFile[] | undefined;
  /** Why not even the list of the files that the command left was sent. */
  readonly artifactsUnsent?: string | undefined;
  /** When the command wrote its output. */
  readonly lineTimes?: readonly LineTime[] | undefined;
}

/** Receives the end of an execution. All output precedes it, so a missing chunk means that the agent has lost count. */
export function receiveEnd(
  deps: ReceiveDeps,
  from: AgentAddress,
  { executionId, lastSeq, ending, journalSeq, files, artifactsUnsent, lineTimes }: End,
): Received {
  const running = deps.executions.find(executionId);
  if (running === undefined || !isOf(running.execution, from)) {
    // The execution is final, or never was the agent's own.
    deps.agents.acknowledgeEnd(from, executionId);
    return 'not_its_own';
  }
  if (running.live.receivedSeq !== lastSeq) return 'gap';
  const journal = journalSeq === undefined ? undefined : deps.journalMarks.received(from, journalSeq);
  running.live.end(ending, deps.clock.nowMs(), { journal, files, artifactsUnsent, lineTimes });
  return 'taken';
}

/**
 * Handles the request of an agent for more of the body of a call. Only the hub that received the call has the body, but any hub can
 * send the files that a step gets from earlier steps. Otherwise it answers that the input was cut off.
 */
export async function receiveInputWant(
  deps: Pick<ReceiveDeps, 'executions' | 'agents' | 'clock'> & InputDeps,
  from: AgentAddress,
  { execution_id: id, from: begin, upto }: AgentFrameOf<'input_want'>,
): Promise<void> {
  const { executions, agents, clock } = deps;
  const running = executions.find(id);
  if (running === undefined || !isOf(running.execution, from)) return;
  if (running.input !== undefined) {
    running.input.want(from, begin, upto);
    return;
  }
  let why = 'the hub that received it has stopped, or the agent has left that hub';
  try {
    const input = await untilAnswered(clock, () => restoreInput(deps, running.execution));
    if (executions.find(id) !== running) return;
    if (input !== undefined) return executions.provideInput(running, input).want(from, begin, upto);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    why = error.message;
  }
  const message = `the input was cut off: ${why}`.slice(0, LINK_LIMITS.messageChars);
  agents.input(from, { type: 'input_cut', execution_id: id, code: 'unavailable', message });
}
