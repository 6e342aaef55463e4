import type { Caller } from '@svc/core/execution/access';
import type { OpenStreams } from '../accounts/open-streams.ts';

export interface WatchCallerDeps {
  readonly openStreams: OpenStreams;
}

/** Calls back when an answer has to end though its execution goes on; the returned function withdraws that. */
export type Watch = (end: () => void) => () => void;

export const REVOKED = 'what this was asked for with works no more; the execution goes on';

/**
 * For answers that go on for long: they end when the credential that they were asked for with does (decision 44).
 *
 * @param identify looks at the credential again
 */
export function watchCaller(
  { openStreams }: WatchCallerDeps,
  caller: Caller,
  identify: () => Caller | Promise<Caller>,
  isAllowed: (caller: Caller) => boolean,
): Watch | undefined {
  if (caller.kind === 'anonymous') return undefined;
  return (end) => openStreams.open(async () => isAllowed(await identify()), end);
}
