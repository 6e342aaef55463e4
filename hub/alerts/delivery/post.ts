import http from 'node:http';
import https from 'node:https';
import { isLiteral } from '@svc/core/alert/target-url';

export interface Post {
  readonly target: URL;
  /** The one to connect to; nothing is resolved. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** Certificates of those who are trusted, in tests; default: those of the system. */
  readonly ca?: string | undefined;
}

/**
 * Sends one request to one address and answers with the status; no redirect is followed and no body is read.
 *
 * NOTE: Not `fetch`, which resolves the name by itself, a second time, and goes through a proxy of the environment. TLS
 * checks the certificate for the name of the URL, not for the address.
 */
export function post({ target, address, headers, body, signal, ca }: Post): Promise<number> {
  const isSecure = target.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = (isSecure ? https : http).request({
    method: 'POST',
    host: address,
    port: target.port || (isSecure ? 443 : 80),
    path: `${target.pathname}${target.search}`,
    headers: { ...headers, host: target.host, 'content-length': String(Buffer.byteLength(body)) },
    // A connection of its own for each: one that was kept open could lead elsewhere than what was checked now.
    agent: false,
    signal,
    ...(isSecure && !isLiteral(target.hostname) ? { servername: target.hostname } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
  request.once('response', (response) => {
    resolve(response.statusCode ?? 0);
    response.on('error', () => undefined);
    response.destroy();
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}
