import { type Refusal, refuse } from '@svc/core/refusal';

/**
 * The refusal of a store that cannot do its work just now.
 *
 * `maybe_stored` says of a write that its answer was lost, not necessarily the write itself: who needs to know looks it up.
 */
export function unavailable(doing: 'read' | 'write', cause: unknown, maybeStored = false): Refusal {
  const done = doing === 'read' ? 'cannot be read' : 'cannot write';
  return refuse(
    'unavailable',
    `the store ${done}: ${reasonOf(cause)}`,
    maybeStored ? { maybe_stored: true } : {},
  );
}

export function reasonOf(cause: unknown): string {
  if (typeof cause === 'string') return cause;
  // One address after another was tried: the first failure stands for all.
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as { code?: unknown };
  return cause.message || (typeof code === 'string' ? code : cause.name);
}
