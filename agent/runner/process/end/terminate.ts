import { readdirSync, readFileSync } from 'node:fs';
import type { Subprocess } from 'bun';
import { settlesWithin } from '../../settles-within.ts';
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

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
const CLOSE_LOOK_AFTER_PAUSE_MS = 20;

/** Signals every process in the group of a command; false if there is none to signal. */
function signalGroup(leaderPid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leaderPid, signal);
    return true;
  } catch {
    // ESRCH: the group is empty. EPERM: all its processes now run as another user, which we cannot signal.
    return false;
  }
}

/**
 * Polls until the group has no living member; false if it still has one at `deadlineMs` (monotonic).
 *
 * The kernel does not reuse a group id while the group has members, and the pauses are too short for the ids to wrap
 * around, so the id means this group to the end.
 */
async function groupEmpties(leaderPid: number, deadlineMs: number): Promise<boolean> {
  for (let pauseMs = FIRST_PAUSE_MS; signalGroup(leaderPid, 0); pauseMs *= 2) {
    // A signal also reaches zombies, which stay forever in a container without an init. Detecting them costs more.
    if (pauseMs >= CLOSE_LOOK_AFTER_PAUSE_MS && !hasLivingMember(leaderPid)) return true;
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) return false;
    await Bun.sleep(Math.min(pauseMs, LONGEST_PAUSE_MS, leftMs));
  }
  return true;
}

function hasLivingMember(leaderPid: number): boolean {
  return process.platform !== 'linux' || readdirSync('/proc').some((name) => isLivingMember(name, leaderPid));
}

function isLivingMember(pid: string, leaderPid: number): boolean {
  if (!/^\d/.test(pid)) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain anything, also parentheses; state, parent and group follow it.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === leaderPid && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
