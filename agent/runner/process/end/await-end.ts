import { constants } from 'node:os';
import type { Subprocess } from 'bun';
import type { Launch } from '../../runner.ts';
import type { Started } from '../start/start-command.ts';
import { hasExited, terminate } from './terminate.ts';

export type How = 'exited' | 'timed_out' | 'cancelled';

/** The end of a command: nothing of it runs any more, but for what it left running on purpose when it exited by itself. */
export interface End {
  readonly how: How;
  readonly exitCode: number;
  readonly durationMs: number;
}

/** Waits for the command to exit; at its time-out or when `cancel` is aborted, ends it. */
export async function awaitEnd(
  { process, startedAtMs }: Started,
  { executionId, timeoutMs }: Pick<Launch, 'executionId' | 'timeoutMs'>,
  killGraceMs: number,
  cancel: AbortSignal,
): Promise<End> {
  const exitedAt = process.exited.then(() => performance.now());
  const how = await whatComesFirst(process, timeoutMs, cancel);
  if (how !== 'exited') await terminate(process, executionId, killGraceMs);
  const endedAtMs = hasExited(process) ? await exitedAt : performance.now();
  return { how, exitCode: exitCodeOf(process), durationMs: Math.round(endedAtMs - startedAtMs) };
}

function whatComesFirst(process: Subprocess, timeoutMs: number, cancel: AbortSignal): Promise<How> {
  return new Promise((resolve) => {
    const settle = (how: How) => {
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

/** As a shell says it: 128 + n for a command that signal n ended. Bun gives real-time signals as numbers. */
function exitCodeOf(process: Subprocess): number {
  const signal: string | number | null = process.signalCode;
  if (signal === null) return process.exitCode ?? 128 + constants.signals.SIGKILL;
  return 128 + (typeof signal === 'number' ? signal : constants.signals[signal as NodeJS.Signals]);
}
