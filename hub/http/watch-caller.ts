import type { Caller } from '@svc/core/execution/access';
import type { OpenStreams } from '../accounts/open-streams.ts';

export interface WatchCallerDeps {
  readonly openStreams: OpenStreams;
}

/** Calls back when a response must end although its execution continues; the returned function unregisters it. */
export type Watch = (end: () => void) => () => void;

export const REVOKED = 'what this was asked for with works no more; the execution goes on';

/**
 * Watches the credential of a long response. The response ends when the credential does (decision 44).
 *
 * @param identify checks the credential again
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
