import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Journal } from '../journal/journal.ts';
import type { Journaled } from '../journal/record.ts';
import { UnsentOutput } from '../unsent/unsent-output.ts';
import { AgentExecution } from './execution.ts';
import type { Uplink } from './uplink.ts';

export interface RecoveryInput {
  readonly journal: Journal;
  readonly left: ReadonlyMap<string, Journaled>;
  /** The folder for output that does not fit into memory. */
  readonly outputFolder: string;
  readonly uplink: Uplink;
  /** Whether its command left files, which go with it. */
  readonly leftFiles: (executionId: string) => boolean;
  /** Kills the processes that remain of an execution (decision 18, time-out and cancel). */
  readonly sweep: (executionId: string) => Promise<unknown>;
}

const STOPPED = 'the agent was stopped while the command ran';

/**
 * Restores the executions of an earlier process, ready to be reported to the hub. If that process did not see the ending,
 * the execution is `lost` after its remaining processes are killed.
 */
export async function recoverExecutions(recovery: RecoveryInput): Promise<AgentExecution[]> {
  removeOrphans(recovery);
  return await Promise.all([...recovery.left].map(([id, journaled]) => recoverOne(id, journaled, recovery)));
}

async function recoverOne(
  id: string,
  journaled: Journaled,
  { journal, outputFolder, uplink, leftFiles, sweep }: RecoveryInput,
): Promise<AgentExecution> {
  const folder = join(outputFolder, id);
  if (journaled.kind === 'started') {
    await sweep(id);
    const execution = new AgentExecution(id, new UnsentOutput(folder, uplink.space), uplink);
    execution.endWith({ kind: 'lost', message: STOPPED });
    if (leftFiles(id)) execution.noteUnsentArtifacts(STOPPED);
    if (execution.end !== undefined) journal.ended(id, { frame: execution.end, output: [] });
    return execution;
  }
  const { frame, output } = journaled;
  const unsent = UnsentOutput.restore(folder, uplink.space, output, frame.last_seq);
  const execution = new AgentExecution(id, unsent, uplink);
  execution.restoreEnd(frame);
  return execution;
}

/** Removes output that is no longer needed: of acknowledged and of lost executions. */
function removeOrphans({ left, outputFolder }: RecoveryInput): void {
  for (const name of namesIn(outputFolder)) {
    const journaled = left.get(name);
    const isNeeded = journaled?.kind === 'ended' && journaled.output === undefined;
    if (!isNeeded) rmSync(join(outputFolder, name), { recursive: true, force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
