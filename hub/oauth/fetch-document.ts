import type { IncomingMessage } from 'node:http';
import { checkedAddresses, TargetError } from '../alerts/delivery/checked-addresses.ts';
import { pinnedRequest, type SendOptions } from '../alerts/delivery/send.ts';

/** The time for the whole document: a person waits for the page. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** The reason, as a clause, why there is no document. It contains nothing that the server sent. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/**
 * Fetches a JSON document from a URL that a stranger chose: only from the public Internet, from an address that was checked,
 * without redirects, and within bounds of time and size. Throws a `DocumentError`.
 */
export async function fetchDocument(options: SendOptions, url: string): Promise<unknown> {
  const { clock } = options;
  const timeout = new AbortController();
  const withdraw = clock.at(clock.nowMs() + TIMEOUT_MS, () => timeout.abort());
  const { promise: late, reject } = Promise.withResolvers<never>();
  timeout.signal.addEventListener('abort', () => reject(new DocumentError('there was no answer in time')));
  try {
    return await Promise.race([read(options, new URL(url), timeout.signal), late]);
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    const known = error instanceof TargetError;
    throw new DocumentError(known ? error.message : 'it could not be fetched', { cause: error });
  } finally {
    withdraw();
    timeout.abort();
  }
}

async function read(
  { resolve, allowed, ca }: SendOptions,
  target: URL,
  signal: AbortSignal,
): Promise<unknown> {
  const [address = ''] = await checkedAddresses(target, resolve, allowed);
  const { promise: answered, resolve: answer, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { accept: 'application/json' };
  const request = pinnedRequest('GET', { target, address, headers, signal, ca });
  request.once('response', answer);
  request.on('error', reject);
  request.end();
  const response = await answered;
  try {
    if (response.statusCode !== 200) throw new DocumentError(`the answer was ${response.statusCode}`);
    if (!JSON_TYPE.test(response.headers['content-type'] ?? ''))
      throw new DocumentError('the answer was not application/json');
    return parsed(await bytesOf(response));
  } finally {
    response.on('error', () => undefined);
    response.destroy();
  }
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new DocumentError(`the document has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw new DocumentError('the answer was not JSON', { cause });
  }
}
