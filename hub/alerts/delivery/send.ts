import http from 'node:http';
import https from 'node:https';
import type { Network } from '@svc/core/alert/address';
import { isLiteral } from '@svc/core/alert/target-url';
import type { Clock } from '../../platform/world.ts';
import { checkedAddresses, type Resolve, TargetError } from './checked-addresses.ts';

/** The timeout from the resolution of the name to the status of the response. */
const TIMEOUT_MS = 15_000;
const MAX_ADDRESSES = 3;
/** Errors before a connection exists: nothing was sent, so the next address may be tried. */
const UNCONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
]);

export interface SendOptions {
  readonly clock: Clock;
  readonly resolve: Resolve;
  /** Private networks that the operator allows. */
  readonly allowed: readonly Network[];
  readonly ca?: string | undefined;
}

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result; `error` undefined: the receiver accepted the message. */
export interface Sent {
  readonly responseStatus: number | undefined;
  readonly error: string | undefined;
}

/** Sends one message to its URL within a bounded time. Never throws: the result carries the error. */
export async function send(options: SendOptions, message: Message, stopped: AbortSignal): Promise<Sent> {
  const { clock } = options;
  const timeout = new AbortController();
  const withdraw = clock.at(clock.nowMs() + TIMEOUT_MS, () => timeout.abort());
  const signal = AbortSignal.any([timeout.signal, stopped]);
  try {
    return answered(await Promise.race([attempt(options, message, signal), aborted(signal)]));
  } catch (error) {
    const problem = signal.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : problemOf(error);
    return { responseStatus: undefined, error: problem };
  } finally {
    withdraw();
  }
}

async function attempt(
  { resolve, allowed, ca }: SendOptions,
  { url, headers, body }: Message,
  signal: AbortSignal,
): Promise<number> {
  const target = new URL(url);
  const addresses = await checkedAddresses(target, resolve, allowed);
  const [first = '', ...others] = addresses.slice(0, MAX_ADDRESSES);
  let trying = post({ target, address: first, headers, body, signal, ca });
  for (const address of others)
    trying = trying.catch((error: unknown) => {
      if (!UNCONNECTED.has((error as NodeJS.ErrnoException).code)) throw error;
      return post({ target, address, headers, body, signal, ca });
    });
  return await trying;
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Error('aborted'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return promise;
}

function answered(status: number): Sent {
  if (status >= 200 && status < 300) return { responseStatus: status, error: undefined };
  const isRedirect = status >= 300 && status < 400;
  const more = isRedirect ? ': redirects are not followed' : '';
  return { responseStatus: status, error: `answered ${status}${more}` };
}

/** Contains nothing that the receiver sent, because the receiver may be an internal machine. */
function problemOf(error: unknown): string {
  if (error instanceof TargetError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return PROBLEMS[code ?? ''] ?? `it could not be sent (${code ?? 'no reason given'})`;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before there was an answer',
  ETIMEDOUT: 'no connection came about',
  HPE_HEADER_OVERFLOW: 'the head of the answer was too long',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not signed by a trusted authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not signed by a trusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not signed by a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not signed by a trusted authority',
  CERT_HAS_EXPIRED: 'the certificate has expired',
};

interface Post {
  readonly target: URL;
  /** The IP address to connect to; no name is resolved. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** Trusted root certificates, set by tests; default: those of the system. */
  readonly ca?: string | undefined;
}

/**
 * Sends one request to one address and returns the status. It follows no redirect and reads no body.
 *
 * NOTE: `fetch` would resolve the name a second time and use a proxy from the environment, so this uses `node:https`. TLS
 * checks the certificate for the name of the URL, not for the address.
 */
function post({ body, headers, ...to }: Post): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const length = String(Buffer.byteLength(body));
  const request = pinnedRequest('POST', { ...to, headers: { ...headers, 'content-length': length } });
  request.once('response', (response) => {
    resolve(response.statusCode ?? 0);
    response.on('error', () => undefined);
    response.destroy();
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

/** A request to a checked address of the target; its caller adds the listeners and ends it. */
export function pinnedRequest(
  method: 'GET' | 'POST',
  { target, address, headers, signal, ca }: Omit<Post, 'body'>,
): http.ClientRequest {
  const isSecure = target.protocol === 'https:';
  return (isSecure ? https : http).request({
    method,
    host: address,
    port: target.port || (isSecure ? 443 : 80),
    path: `${target.pathname}${target.search}`,
    headers: { ...headers, host: target.host },
    // Each request has its own connection; a reused one could belong to an address that was not checked now.
    agent: false,
    signal,
    ...(isSecure && !isLiteral(target.hostname) ? { servername: target.hostname } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
}
