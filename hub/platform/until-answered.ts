import { Refusal } from '@svc/core/refusal';
import type { Clock } from './world.ts';

/** The pause before an unavailable store is asked again. */
const RETRY_MS = 1_000;

/** Repeats a write until the store answers. For writes without a waiting caller that must not be lost. */
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

/** True when only the answer of the store was lost, so the write may be stored. */
export function isMaybeStored(error: unknown): boolean {
  if (!isUnavailable(error)) return false;
  const { maybe_stored: maybeStored } = error.details;
  return maybeStored === true;
}

/** The store could not answer, and may be able to soon. */
export function isUnavailable(error: unknown): error is Refusal {
  return error instanceof Refusal && error.code === 'unavailable';
}
