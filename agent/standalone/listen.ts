import { isIP } from 'node:net';

/** Why a server cannot listen there, in a sentence for the operator. */
export interface CannotListen {
  readonly kind: 'cannot_listen';
  readonly isPortInUse: boolean;
  readonly message: string;
}

export interface Listening {
  readonly kind: 'listening';
  readonly server: Bun.Server<undefined>;
}

export interface Address {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;
const WILDCARD_LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export function openServer(
  { host, port }: Address,
  fetch: (request: Request) => Promise<Response>,
): Listening | CannotListen {
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      // The readers of bodies limit their length and refuse with a reason; Bun's own limit gives no answer for a chunked
      // body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      // Bun's pages for developers would show code and stack traces to callers.
      development: false,
      // Without `development` Bun shares a port with another process, and each gets some of the calls.
      reusePort: false,
      fetch,
    });
    return { kind: 'listening', server };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = explain(error, { host, port });
    return { kind: 'cannot_listen', isPortInUse: code === 'EADDRINUSE', message };
  }
}

/** The URL of a server on `host` for programs of this machine, without a slash at the end. */
export function localServerUrl({ host, port }: Address): string {
  const address = WILDCARD_LOOPBACK[host] ?? host;
  return `http://${authority({ host: address, port })}`;
}

/** Host and port in the form of a URL. */
export function authority({ host, port }: Address): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/**
 * Whether only this machine can reach a server on that host. A name may resolve to any address, so of names only
 * `localhost` counts.
 */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function explain(error: unknown, { host, port }: Address): string {
  switch ((error as { code?: unknown }).code) {
    case 'EADDRINUSE':
      return `port ${port} is in use on ${host}`;
    case 'EACCES':
    case 'EPERM':
      return `port ${port} may not be used by this user`;
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
    case 'ENOTFOUND':
      return `"${host}" is no address of this machine`;
    default:
      return `nothing can listen on ${host}, port ${port}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
