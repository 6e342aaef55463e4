import type { IncomingMessage } from 'node:http';
import { isInAny } from '@svc/core/alert/address';
import type { CustomFetch } from 'openid-client';
import { checkedAddresses, TargetError } from '../alerts/delivery/checked-addresses.ts';
import { pinnedRequest, type SendOptions } from '../alerts/delivery/send.ts';

/** The most bytes of an answer of a provider. */
const MAX_BYTES = 1024 * 1024;

/**
 * A `fetch` for addresses that the owner of a workspace, or their provider, chose: only the public Internet, from an address that was
 * checked, without redirects, and with bounded answers. https only, except in networks that the operator allows (decision 92,
 * providers of workspaces).
 *
 * Throws a `TypeError` as `fetch` does; its cause is a `TargetError` where the filter refused.
 */
export function filteredFetch({ resolve, allowed, ca }: Omit<SendOptions, 'clock'>): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    try {
      const target = new URL(url);
      const [address = ''] = await checkedAddresses(target, resolve, allowed);
      if (target.protocol !== 'https:' && !isInAny(address, allowed))
        throw new TargetError('an address that begins with https:// expected');
      const text = typeof body === 'string' || body instanceof URLSearchParams ? body.toString() : '';
      const length = text === '' ? {} : { 'content-length': String(Buffer.byteLength(text)) };
      const { promise, resolve: answer, reject } = Promise.withResolvers<IncomingMessage>();
      const request = pinnedRequest(method === 'POST' ? 'POST' : 'GET', {
        target,
        address,
        headers: { ...headers, ...length },
        signal: signal ?? new AbortController().signal,
        ca,
      });
      request.once('response', answer);
      request.on('error', reject);
      request.end(text);
      return await responseOf(await promise);
    } catch (cause) {
      throw new TypeError(cause instanceof TargetError ? cause.message : 'fetch failed', { cause });
    }
  };
}

async function responseOf(message: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
  } finally {
    message.on('error', () => undefined);
    message.destroy();
  }
  const headers = Object.entries(message.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  const status = message.statusCode ?? 0;
  const isEmpty = status === 204 || status === 304;
  // A status that `Response` does not take, such as 101, is no answer.
  if (status < 200 || status > 599) throw new Error(`the answer was ${status}`);
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers });
}
