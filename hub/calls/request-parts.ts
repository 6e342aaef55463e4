import { isIdempotencyKey } from '@svc/core/execution/request-identity';
import { refuse } from '@svc/core/refusal';
import type { Random } from '../platform/world.ts';

export interface RequestPartsDeps {
  readonly random: Random;
}

/** What a caller says two equal requests by (decision 23). */
export function idempotencyKey({ headers }: Request): string | undefined {
  return keyIn(headers, 'Idempotency-Key');
}

/** A header that something counts by: every sender can write it, and it fits into its column. */
export function keyIn(headers: Headers, name: string): string | undefined {
  const key = headers.get(name);
  if (key === null) return undefined;
  if (isIdempotencyKey(key)) return key;
  throw refuse('invalid_argument', `${name}: 1 to 255 visible ASCII characters expected`);
}

/** For the URLs of somebody without a credential (decision 20). */
export function newReadToken({ random }: RequestPartsDeps): string {
  return random.bytes(32).toHex();
}
