import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Subprocess } from 'bun';
import type { Launch } from '../../runner.ts';
import type { EndCause } from '../../stopping.ts';
import type { StartedCommand } from '../start/start-command.ts';
import { hasExited, terminate } from './terminate.ts';

/** The end of a command: nothing of it runs any more, but for what it left running on purpose when it exited by itself. */
export interface ProcessEnd {
  readonly how: EndCause;
  readonly exitCode: number;
  readonly durationMs: number;
}

/**
 * Waits for the command to exit; at its time-out or when `cancel` is aborted, ends it.
 *
 * The time-out is wall-clock time: it continues while this process is stopped (SIGSTOP, a frozen cgroup). A command that has
 * exited by itself by the time that this process looks has exited, and is not `timed_out` (decision 64).
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
    const settle = (how: EndCause) => {
      // The timer of a process that was stopped fires before the news of an exit is read; that news is on its way.
      if (how !== 'exited' && !hasExited(process) && isZombie(process.pid)) return;
      clearTimeout(timer);
      cancel.removeEventListener('abort', onCancel);
      // It may have been reaped a moment ago, and then its number is no longer ours to signal.
      resolve(hasExited(process) ? 'exited' : how);
    };
    const onCancel = () => settle('cancelled');
    const timer = setTimeout(settle, timeoutMs, 'timed_out');
    cancel.addEventListener('abort', onCancel);
    void process.exited.then(() => settle('exited'));
  });
}

/** Whether a child has exited and was not reaped yet; only Linux says so without reaping it. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The state follows the name, which stands in parentheses and may hold any character.
    return stat.startsWith('Z', stat.lastIndexOf(')') + 2);
  } catch {
    return false;
  }
}

/** As a shell says it: 128 + n for a command that signal n ended. Bun gives real-time signals as numbers. */
function exitCodeOf(process: Subprocess): number {
  const signal: string | number | null = process.signalCode;
  if (signal === null) return process.exitCode ?? 128 + constants.signals.SIGKILL;
  return 128 + (typeof signal === 'number' ? signal : constants.signals[signal as NodeJS.Signals]);
}
