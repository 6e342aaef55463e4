import { isIdempotencyKey } from '@svc/core/execution/request-identity';
import type { RateLeft } from '@svc/core/plan/rate-limit';
import { refuse } from '@svc/core/refusal';
import type { Random } from '../platform/world.ts';

export interface RequestPartsDeps {
  readonly random: Random;
}

/** The key by which a caller marks repeated requests (decision 23, idempotency). */
export function idempotencyKey({ headers }: Request): string | undefined {
  return keyIn(headers, 'Idempotency-Key');
}

/** A header used as a key: only printable characters, and not longer than its column. */
export function keyIn(headers: Headers, name: string): string | undefined {
  const key = headers.get(name);
  if (key === null) return undefined;
  if (isIdempotencyKey(key)) return key;
  throw refuse('invalid_argument', `${name}: 1 to 255 visible ASCII characters expected`);
}

/** Adds what the caller has left of its rate limit. */
export function withRate(response: Response, left: RateLeft | undefined): Response {
  if (left === undefined) return response;
  response.headers.set('RateLimit-Limit', String(left.limit));
  response.headers.set('RateLimit-Remaining', String(left.remaining));
  response.headers.set('RateLimit-Reset', String(left.resetSec));
  return response;
}

/** The token in the URLs of an anonymous caller (decision 20, asynchronous calls and records). */
export function newReadToken({ random }: RequestPartsDeps): string {
  return random.bytes(32).toHex();
}
