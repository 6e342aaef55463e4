import { type Refusal, refuse } from '@svc/core/refusal';
import { isDamage, StoreDamaged } from './damage.ts';

/**
 * The refusal of a store that is unavailable at present.
 *
 * `maybe_stored`: only the answer to the write was lost, so the write may be stored; a caller that must know reads it back. For
 * damaged data the refusal is a `StoreDamaged`.
 */
export function unavailable(doing: 'read' | 'write', cause: unknown, maybeStored = false): Refusal {
  const done = doing === 'read' ? 'cannot be read' : 'cannot write';
  const message = `the store ${done}: ${reasonOf(cause)}`;
  const details = maybeStored ? { maybe_stored: true } : {};
  return isDamage(cause) ? new StoreDamaged(message, details) : refuse('unavailable', message, details);
}

export function reasonOf(cause: unknown): string {
  if (typeof cause === 'string') return cause;
  // Several addresses were tried; this is the first failure.
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as { code?: unknown };
  return cause.message || (typeof code === 'string' ? code : cause.name);
}
