import type { Network } from '@svc/core/alert/address';
import { targetProblem } from '@svc/core/alert/target-url';
import { CALLBACK_OPTION } from '@svc/core/api/callback-url';
import { refuse } from '@svc/core/refusal';

/** The most characters of the `callback_url` of a call. */
const MAX_CALLBACK_CHARS = 2_000;

/** The problem of the URL of a webhook, as a clause; undefined if it may be tried. Names are resolved when it is. */
export function urlProblem(text: string, allowed: readonly Network[]): string | undefined {
  return URL.canParse(text)
    ? targetProblem(new URL(text), allowed)
    : 'an address that begins with https:// expected';
}

/**
 * Refuses a URL that no callback may go to, before anything runs. Names are resolved and checked again when the callback is sent.
 *
 * Throws `invalid_argument`.
 */
export function refuseCallback(callbackUrl: string, allowed: readonly Network[]): void {
  const problem =
    callbackUrl.length > MAX_CALLBACK_CHARS
      ? `at most ${MAX_CALLBACK_CHARS} characters expected`
      : urlProblem(callbackUrl, allowed);
  if (problem !== undefined) throw refuse('invalid_argument', `${CALLBACK_OPTION}: ${problem}`);
}
