import { type Refusal, refuse } from '@svc/core/refusal';
import { isDamage, StoreDamaged } from './damage.ts';

/**
 * The refusal of a store that cannot do its work just now.
 *
 * `maybe_stored` says of a write that its answer was lost, not necessarily the write itself: who needs to know looks it up.
 * Where the cause is damaged data, the refusal is a `StoreDamaged`.
 */
export function unavailable(doing: 'read' | 'write', cause: unknown, maybeStored = false): Refusal {
  const done = doing === 'read' ? 'cannot be read' : 'cannot write';
  const message = `the store ${done}: ${reasonOf(cause)}`;
  const details = maybeStored ? { maybe_stored: true } : {};
  return isDamage(cause) ? new StoreDamaged(message, details) : refuse('unavailable', message, details);
}

export function reasonOf(cause: unknown): string {
  if (typeof cause === 'string') return cause;
  // One address after another was tried: the first failure stands for all.
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as { code?: unknown };
  return cause.message || (typeof code === 'string' ? code : cause.name);
}
