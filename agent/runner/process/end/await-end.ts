import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Subprocess } from 'bun';
import type { Launch } from '../../runner.ts';
import type { EndCause } from '../../stopping.ts';
import type { StartedCommand } from '../start/start-command.ts';
import { hasExited, terminate } from './terminate.ts';

/** The end of a command. None of its processes run, except those that it left on purpose when it exited by itself. */
export interface ProcessEnd {
  readonly how: EndCause;
  readonly exitCode: number;
  readonly durationMs: number;
}

/**
 * Waits for the command to exit; ends it at its timeout or when `cancel` is aborted.
 *
 * The timeout is wall-clock time: it continues while this process is stopped (SIGSTOP, a frozen cgroup). A command that has
 * exited by itself before this process resumes has exited, and is not `timed_out` (decision 64, borders of people and
 * browsers).
 */
export async function awaitEnd(
  { process, startedAtMs }: StartedCommand,
  { executionId, timeoutMs }: Pick<Launch, 'executionId' | 'timeoutMs'>,
  killGraceMs: number,
  cancel: AbortSignal,
): Promise<ProcessEnd> {
  const exitedAt = process.exited.then(() => performance.now());
  const how = await whatComesFirst(process, timeoutMs, cancel);
  if (how !== 'exited') await terminate(process, executionId, killGraceMs);
  const endedAtMs = hasExited(process) ? await exitedAt : performance.now();
  return { how, exitCode: exitCodeOf(process), durationMs: Math.round(endedAtMs - startedAtMs) };
}

function whatComesFirst(process: Subprocess, timeoutMs: number, cancel: AbortSignal): Promise<EndCause> {
  return new Promise((resolve) => {
    const finish = (how: EndCause) => {
      // After a stop, the timer fires before the pending exit event is read.
      if (how !== 'exited' && !hasExited(process) && isZombie(process.pid)) return;
      clearTimeout(timer);
      cancel.removeEventListener('abort', onCancel);
      // The process may just have been reaped; its pid must then not be signalled.
      resolve(hasExited(process) ? 'exited' : how);
    };
    const onCancel = () => finish('cancelled');
    const timer = setTimeout(finish, timeoutMs, 'timed_out');
    cancel.addEventListener('abort', onCancel);
    void process.exited.then(() => finish('exited'));
  });
}

/** Whether a child has exited and is not reaped yet; only Linux shows that without reaping it. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The state follows the name, which is in parentheses and may contain any character.
    return stat.startsWith('Z', stat.lastIndexOf(')') + 2);
  } catch {
    return false;
  }
}

/** As in a shell: 128 + n for a command that signal n ended. Bun gives real-time signals as numbers. */
function exitCodeOf(process: Subprocess): number {
  const signal: string | number | null = process.signalCode;
  if (signal === null) return process.exitCode ?? 128 + constants.signals.SIGKILL;
  return 128 + (typeof signal === 'number' ? signal : constants.signals[signal as NodeJS.Signals]);
}
