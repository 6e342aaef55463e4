import { readJsonArguments } from '@svc/core/api/json-arguments';
import { readQuery } from '@svc/core/api/query';
import { collectValues } from '@svc/core/endpoint/value/collect-values';
import { LIMITS } from '@svc/core/plan/limits';
import { type Refusal, refuse } from '@svc/core/refusal';

const JSON_BODY = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** The values that a call carries in its query and its body (decision 9). */
export async function readValues(request: Request, query: string): Promise<ReadonlyMap<string, string>> {
  return collectValues({ query: readQuery(query), body: await readBody(request) });
}

/** Undefined when there is none. Whether there is one is in the headers: of a GET, Bun shows nothing else. */
async function readBody(request: Request): Promise<unknown> {
  const announced = request.headers.get('content-length');
  const isChunked = request.headers.has('transfer-encoding');
  if (!isChunked && (announced === null || Number(announced) === 0)) return undefined;
  if (request.method === 'GET') {
    throw refuse('invalid_argument', 'a GET with a body: send the values in the query, or POST them');
  }
  refuseOtherThanJson(request.headers);
  if (Number(announced) > LIMITS.requestBodyBytes) throw tooLarge();
  const bytes = await readBytes(request);
  return bytes.length === 0 ? undefined : readJsonArguments(decode(bytes));
}

/** Only JSON: a page of another site can send every other type without asking first. */
function refuseOtherThanJson(headers: Headers): void {
  const type = headers.get('content-type');
  if (type === null || !JSON_BODY.test(type)) {
    const found = type === null ? 'a body without a Content-Type' : `a body of type ${JSON.stringify(type)}`;
    throw refuse('unsupported_media_type', `${found}: application/json in UTF-8 expected`);
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    throw refuse(
      'unsupported_media_type',
      `a body with Content-Encoding ${JSON.stringify(encoding)}: none expected`,
    );
  }
}

/**
 * Counts while it reads, since a chunked body does not say how long it is.
 *
 * NOTE: What is over the limit is left unread, and the connection open: after a close the caller, still sending, would
 * get a reset and no answer.
 */
async function readBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of bodyChunks(request)) {
    bytes += chunk.length;
    if (bytes > LIMITS.requestBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
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

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('invalid_json', 'the body is not UTF-8');
  }
}

function tooLarge(): Refusal {
  return refuse('payload_too_large', `the body is larger than ${LIMITS.requestBodyBytes} bytes`);
}
