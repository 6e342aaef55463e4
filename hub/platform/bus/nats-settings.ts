import { readFileSync } from 'node:fs';
import { type ConnectionOptions, credsAuthenticator } from '@nats-io/transport-node';

/** The connection settings of the broker, from the environment. */
export interface NatsSettings {
  /** `host:port` each: the servers of one cluster. */
  readonly servers: readonly string[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** A file with a JWT and its seed. */
  readonly credsFile: string | undefined;
  /** Undefined: the server decides. */
  readonly tls:
    | {
        readonly caFile: string | undefined;
        readonly certFile: string | undefined;
        readonly keyFile: string | undefined;
      }
    | undefined;
}

/** A connection without answers is lost after three intervals: two pings without an answer. */
const PING_MS = 2_000;
const MAX_PINGS_OUT = 2;
const CONNECT_MS = 5_000;
const RECONNECT_MS = 500;
const JITTER_MS = 500;

/** The options of the client. Files are read at each connection, so that they can be replaced. */
export function natsOptions(
  { servers, user, password, credsFile, tls }: NatsSettings,
  name: string,
): ConnectionOptions {
  return {
    servers: [...servers],
    name,
    noEcho: true,
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: MAX_PINGS_OUT,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: JITTER_MS,
    reconnectJitterTLS: JITTER_MS,
    ignoreAuthErrorAbort: true,
    ...(user !== undefined && (password === undefined ? { token: user } : { user, pass: password })),
    ...(credsFile !== undefined && {
      authenticator: (nonce?: string) => credsAuthenticator(readFileSync(credsFile))(nonce),
    }),
    ...(tls !== undefined && { tls: given(tls) }),
  };
}

function given(tls: NonNullable<NatsSettings['tls']>): Record<string, string> {
  return Object.fromEntries(Object.entries(tls).filter(([, file]) => file !== undefined)) as Record<
    string,
    string
  >;
}
