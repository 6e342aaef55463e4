import type { Subprocess } from 'bun';
import { settlesWithin } from '../../settles-within.ts';
import { groupEmpties, signalGroup } from './group.ts';
import { sweepExecution } from './sweep.ts';

/** How long a process that was sent SIGKILL may take: one that hangs in the kernel must not hold its execution for ever. */
const KILLED_WITHIN_MS = 2_000;

/** Whether the command was reaped. Then its pid may be another process', and nothing may be sent there any more. */
export function hasExited(command: Subprocess): boolean {
  return command.exitCode !== null || command.signalCode !== null;
}

/**
 * Ends a command that still runs, and everything it started (decision 18): SIGTERM to its group, the grace for all of the
 * group, then SIGKILL to what is left of it and to whatever left the group but still carries the execution's id.
 */
export async function terminate(command: Subprocess, executionId: string, graceMs: number): Promise<void> {
  const deadlineMs = performance.now() + graceMs;
  signalGroup(command.pid, 'SIGTERM');
  const exited = await settlesWithin(command.exited, graceMs);
  if (!exited || !(await groupEmpties(command.pid, deadlineMs))) signalGroup(command.pid, 'SIGKILL');
  await sweepExecution(executionId);
  await settlesWithin(command.exited, KILLED_WITHIN_MS);
}

/** Ends what there is of a command without a grace, because something went wrong on our side. */
export async function killAll(command: Subprocess, executionId: string): Promise<void> {
  if (!hasExited(command)) signalGroup(command.pid, 'SIGKILL');
  await sweepExecution(executionId);
}
