import type { ValueRequest } from '@svc/core/api/call-values';
import { refuse } from '@svc/core/refusal';

/** A request as `core/api` reads the values of a call from it. */
export function valueRequest(request: Request): ValueRequest {
  return {
    method: request.method,
    header: (name) => request.headers.get(name),
    chunks: () => bodyChunks(request),
  };
}

async function* bodyChunks({ body }: Request): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw refuse('invalid_argument', 'the body broke off', { cause: String(cause) });
    });
    if (done) return;
    yield value;
  }
}
