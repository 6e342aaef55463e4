import http from 'node:http';
import https from 'node:https';
import { isLiteral } from '@svc/core/alert/target-url';

export interface Post {
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
export function post({ target, address, headers, body, signal, ca }: Post): Promise<number> {
  const isSecure = target.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = (isSecure ? https : http).request({
    method: 'POST',
    host: address,
    port: target.port || (isSecure ? 443 : 80),
    path: `${target.pathname}${target.search}`,
    headers: { ...headers, host: target.host, 'content-length': String(Buffer.byteLength(body)) },
    // Each request has its own connection; a reused one could belong to an address that was not checked now.
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
