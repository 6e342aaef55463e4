import { Refusal } from '@svc/core/refusal';
import type { Clock } from './world.ts';

/** A store that could not answer is asked again after so long. */
const RETRY_MS = 1_000;

/** Asks until the store answers: for writes that nobody waits for, and without which something would stay as it is for ever. */
export async function untilAnswered<Answer>(clock: Clock, ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await new Promise<void>((resolve) => clock.at(clock.nowMs() + RETRY_MS, resolve));
    }
  }
}

/** Only the answer of the store was lost, perhaps not the write. */
export function isMaybeStored(error: unknown): boolean {
  if (!isUnavailable(error)) return false;
  const { maybe_stored: maybeStored } = error.details;
  return maybeStored === true;
}

/** The store could not answer, and may soon. */
export function isUnavailable(error: unknown): error is Refusal {
  return error instanceof Refusal && error.code === 'unavailable';
}
