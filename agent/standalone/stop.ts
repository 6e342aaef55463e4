import { LIMITS } from '@svc/core/plan/limits';
import type { ServedExecutions } from './executions.ts';

/** The longest time that the runner needs to end a cancelled command (decision 18, time-out and cancel). */
const CANCEL_MS = LIMITS.killGraceMs + LIMITS.drainAfterExitMs + 1000;
/** The time for the last bytes of the last answers. */
const LAST_BYTES_MS = 1000;

/**
 * Accepts no more calls, lets running ones finish for `graceMs`, cancels the rest. Resolves when every connection is
 * closed.
 *
 * May be called again with a shorter grace.
 */
export async function stop(
  server: Bun.Server<undefined>,
  executions: ServedExecutions,
  graceMs: number,
): Promise<void> {
  executions.close();
  const allAnswered = server.stop();
  if (!(await settlesWithin(executions.idle(), graceMs))) {
    executions.cancelAll();
    await settlesWithin(executions.idle(), CANCEL_MS);
  }
  await settlesWithin(allAnswered, LAST_BYTES_MS);
  await server.stop(true);
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: settled, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  const settle = () => {
    clearTimeout(timer);
    resolve(true);
  };
  promise.then(settle, settle);
  return settled;
}
