import type { Argument } from '../endpoint/definition.ts';
import { collectValues } from '../endpoint/value/collect-values.ts';
import { LIMITS } from '../plan/limits.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { readJsonArguments } from './json/json-arguments.ts';
import { readQuery } from './query.ts';

const SCIM_BODY = /^application\/(?:scim\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;
const JSON_BODY = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** The parts of a request that contain the values of a call; a `Request` of the platform has them. */
export interface ValueRequest {
  readonly method: string;
  readonly headers: { get(name: string): string | null };
  /** Can be read once, here or by `bytes`. */
  readonly body: { getReader(): ByteReader } | null;
  bytes(): Promise<Uint8Array>;
}

interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** The values in the query and the body of a call (decision 9, values of a call); a promise only for a call with a body. */
export function readCallValues(
  request: ValueRequest,
  query: string,
  args: readonly Argument[] = [],
): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>> {
  const fromQuery = readQuery(query);
  if (!announcesBody(request)) return collectValues({ query: fromQuery, body: undefined }, args);
  return readBody(request).then((body) => collectValues({ query: fromQuery, body }, args));
}

/** The values of a call whose body is the command's stdin: all of them are in the query (decision 73, the body as standard input). */
export function readQueryValues(query: string, args: readonly Argument[]): ReadonlyMap<string, string> {
  return collectValues({ query: readQuery(query), body: undefined }, args);
}

/** The headers show whether there is a body: Bun drops the body of a GET. */
export function announcesBody({ headers }: Pick<ValueRequest, 'headers'>): boolean {
  const announced = headers.get('content-length');
  return headers.get('transfer-encoding') !== null || (announced !== null && Number(announced) !== 0);
}

/** The text of a JSON body of SCIM; some providers name the type of the standard, others that of JSON. */
export async function readScimText(request: ValueRequest): Promise<string> {
  refuseOtherThanJson(request, SCIM_BODY);
  return decodeText(await readBodyBytes(request));
}

/** The text of a JSON body; empty when it has no bytes. */
export async function readJsonText(request: ValueRequest): Promise<string> {
  refuseOtherThanJson(request);
  return decodeText(await readBodyBytes(request));
}

/** The bytes of a body as sent, up to the limit of a body. */
export async function readBodyBytes(request: ValueRequest): Promise<Uint8Array> {
  refuseTooLarge(request);
  const { headers } = request;
  const hasLength = headers.get('content-length') !== null && headers.get('transfer-encoding') === null;
  // A server reads no more than the announced length. A stream takes twice the processor time for a short body.
  return hasLength ? await request.bytes().catch(brokeOff) : await readBytes(request);
}

function brokeOff(cause: unknown): never {
  throw refuse('invalid_argument', 'the body broke off', { cause: String(cause) });
}

/** Refuses a body that is too large by its `Content-Length`, before any of it is read. */
export function refuseTooLarge({ headers }: Pick<ValueRequest, 'headers'>): void {
  if (Number(headers.get('content-length')) > LIMITS.requestBodyBytes) throw tooLarge();
}

async function readBody(request: ValueRequest): Promise<unknown> {
  if (request.method === 'GET') {
    throw refuse('invalid_argument', 'a GET with a body: send the values in the query, or POST them');
  }
  const text = await readJsonText(request);
  return text === '' ? undefined : readJsonArguments(text);
}

/** Only JSON is accepted: a page of another site can send all other types without a preflight request. */
export function refuseOtherThanJson({ headers }: Pick<ValueRequest, 'headers'>, accepted = JSON_BODY): void {
  const type = headers.get('content-type');
  if (type === null || !accepted.test(type)) {
    const found = type === null ? 'a body without a Content-Type' : `a body of type ${JSON.stringify(type)}`;
    throw refuse('unsupported_media_type', `${found}: application/json in UTF-8 expected`);
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding === 'identity') return;
  const message = `a body with Content-Encoding ${JSON.stringify(encoding)}: none expected`;
  throw refuse('unsupported_media_type', message);
}

/**
 * Counts while it reads, because a chunked body does not announce its length.
 *
 * NOTE: The bytes over the limit stay unread and the connection stays open. If the hub closed it, a caller that is still
 * sending would get a reset and no answer.
 */
async function readBytes(request: ValueRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksOf(request)) {
    length += chunk.length;
    if (length > LIMITS.requestBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

async function* chunksOf({ body }: ValueRequest): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch(brokeOff);
    if (done) return;
    if (value !== undefined) yield value;
  }
}

/** The body as text. A body that is not UTF-8 is refused. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('invalid_json', 'the body is not UTF-8');
  }
}

function tooLarge(): Refusal {
  return refuse('payload_too_large', `the body is larger than ${LIMITS.requestBodyBytes} bytes`);
}
