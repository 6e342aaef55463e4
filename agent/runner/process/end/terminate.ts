import type { Subprocess } from 'bun';
import { settlesWithin } from '../../settles-within.ts';
import { groupEmpties, signalGroup } from './group.ts';
import { sweepExecution } from './sweep.ts';

/** How long to wait after SIGKILL: a process that hangs in the kernel must not block its execution forever. */
const KILLED_WITHIN_MS = 2_000;

/** Whether the command was reaped. Its pid may then belong to another process and must not be signalled. */
export function hasExited(command: Subprocess): boolean {
  return command.exitCode !== null || command.signalCode !== null;
}

/**
 * Ends a running command and everything that it started (decision 18, time-out and cancel): SIGTERM to its group, a grace
 * for the whole group, then SIGKILL to the rest of the group and to processes outside it that still have the execution's
 * id.
 */
export async function terminate(command: Subprocess, executionId: string, graceMs: number): Promise<void> {
  const deadlineMs = performance.now() + graceMs;
  signalGroup(command.pid, 'SIGTERM');
  const exited = await settlesWithin(command.exited, graceMs);
  if (!exited || !(await groupEmpties(command.pid, deadlineMs))) signalGroup(command.pid, 'SIGKILL');
  await sweepExecution(executionId);
  await settlesWithin(command.exited, KILLED_WITHIN_MS);
}

/** Kills a command without a grace after an error on our side. */
export async function killAll(command: Subprocess, executionId: string): Promise<void> {
  if (!hasExited(command)) signalGroup(command.pid, 'SIGKILL');
  await sweepExecution(executionId);
}
