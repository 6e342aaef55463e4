import { refuse } from '@svc/core/refusal';

/**
 * Refuses a request that arrived together with the next one (HTTP/1.1 pipelining), before it changes anything.
 *
 * Bun closes such a connection in the turn of the event loop in which it reads the second request, so the answer to the
 * first request never arrives. A caller that disconnects later is noticed, and its command runs (decision 21, callers that
 * leave).
 */
export async function refusePipelined({ signal }: Request): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (signal.aborted)
    throw refuse(
      'invalid_argument',
      'HTTP/1.1 pipelining: send the next request after the answer to the first',
    );
}
