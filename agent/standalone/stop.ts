import { LIMITS } from '@svc/core/plan/limits';
import type { ServedExecutions } from './executions.ts';

/** What the runner takes at most to end what it was told to cancel (decision 18). */
const CANCEL_MS = LIMITS.killGraceMs + LIMITS.drainAfterExitMs + 1000;
/** For the last bytes of the last answers. */
const LAST_BYTES_MS = 1000;

/**
 * Accepts nothing more, lets what runs finish for `graceMs`, cancels the rest; settles when every connection is closed.
 *
 * May be called again with less patience.
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
