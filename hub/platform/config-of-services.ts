import { isLoopbackUri } from '@svc/core/oauth/redirect-uri';
import type { NatsSettings } from './bus/nats-settings.ts';
import { S3_ENCRYPTIONS, type S3Settings } from './files/s3-settings.ts';
import type { OidcSettings } from './oidc-settings.ts';
import {
  ConfigError,
  readCommaList,
  readHttpUrl,
  readOneOf,
  readShare,
  readWholeNumber,
} from './read-variable.ts';
import { SAMPLERS, type TraceSettings } from './tracing/trace-settings.ts';

/** Reads one variable; undefined: it is not set, or empty. */
type ReadVariable = (name: string) => string | undefined;

const TRACE_DELAY_MS = 1_000;
const MAX_TRACE_DELAY_MS = 60_000;

/** The variables have the same names as those of the NATS programs. */
export function natsOf(read: ReadVariable): NatsSettings | undefined {
  const urls = readCommaList(read('NATS_URL')).map(natsUrl);
  const [first] = urls;
  if (first === undefined) return undefined;
  if (read('DATABASE_URL') === undefined)
    throw new ConfigError('NATS_URL is for hubs that share a PostgreSQL: DATABASE_URL is needed with it');
  const [caFile, certFile, keyFile] = [read('NATS_CA'), read('NATS_CERT'), read('NATS_KEY')];
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new ConfigError('NATS_CERT and NATS_KEY belong together: one of them is not set');
  const isTls = [caFile, certFile].some((file) => file !== undefined);
  return {
    servers: urls.map(({ host }) => host),
    user: decodeURIComponent(first.username) || undefined,
    password: decodeURIComponent(first.password) || undefined,
    credsFile: read('NATS_CREDS'),
    tls:
      isTls || urls.some(({ protocol }) => protocol === 'tls:') ? { caFile, certFile, keyFile } : undefined,
  };
}

export function s3Of(read: ReadVariable): S3Settings | undefined {
  const endpoint = readHttpUrl('SVC_S3_ENDPOINT', read('SVC_S3_ENDPOINT'));
  const bucket = read('SVC_S3_BUCKET');
  const accessKeyId = read('SVC_S3_ACCESS_KEY_ID');
  const secretAccessKey = read('SVC_S3_SECRET_ACCESS_KEY');
  if ([endpoint, bucket, accessKeyId, secretAccessKey].every((value) => value === undefined))
    return undefined;
  if (
    endpoint === undefined ||
    bucket === undefined ||
    accessKeyId === undefined ||
    secretAccessKey === undefined
  )
    throw new ConfigError(
      'SVC_S3_ENDPOINT, SVC_S3_BUCKET, SVC_S3_ACCESS_KEY_ID and SVC_S3_SECRET_ACCESS_KEY belong together: one of them is not set',
    );
  if (read('SVC_ARTIFACTS_DIR') !== undefined)
    throw new ConfigError(
      'SVC_ARTIFACTS_DIR and SVC_S3_ENDPOINT: artifacts are in a folder or in an object store',
    );
  if (new URL(endpoint).pathname !== '/')
    throw new ConfigError(`SVC_S3_ENDPOINT is "${endpoint}": an address without a path expected`);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new ConfigError(`SVC_S3_BUCKET is "${bucket}": the name of a bucket expected`);
  const prefix = read('SVC_S3_PREFIX') ?? '';
  if (!/^(?:[\w-]+\/)*$/.test(prefix))
    throw new ConfigError(`SVC_S3_PREFIX is "${prefix}": names with / after each expected, such as svc/`);
  const region = read('SVC_S3_REGION') ?? 'us-east-1';
  const encryption = readOneOf('SVC_S3_ENCRYPTION', read('SVC_S3_ENCRYPTION') ?? 'off', S3_ENCRYPTIONS);
  // Each request has the key of its object. Stores refuse such requests without TLS, and the network must not see the keys.
  if (encryption === 'key' && !isHttpsOrLoopback(endpoint))
    throw new ConfigError(
      `SVC_S3_ENCRYPTION is "key", and SVC_S3_ENDPOINT is "${endpoint}": an address that begins with https:// expected; http:// is for this machine only`,
    );
  return { endpoint, bucket, region, prefix, accessKeyId, secretAccessKey, encryption };
}

/** The operator may name any issuer, also one in a private network. */
export function oidcOf(read: ReadVariable): OidcSettings | undefined {
  const [issuer, clientId] = [read('SVC_OIDC_ISSUER'), read('SVC_OIDC_CLIENT_ID')];
  const emailVerified = read('SVC_OIDC_EMAIL_VERIFIED') ?? 'claim';
  const rest = {
    clientSecret: read('SVC_OIDC_CLIENT_SECRET'),
    name: read('SVC_OIDC_NAME') ?? 'single sign-on',
    scopes: read('SVC_OIDC_SCOPES') ?? 'openid email profile',
    groupsClaim: read('SVC_OIDC_GROUPS_CLAIM'),
    groupWorkspaces: readCommaList(read('SVC_OIDC_GROUPS_WORKSPACES')),
    emailVerified: readOneOf('SVC_OIDC_EMAIL_VERIFIED', emailVerified, ['claim', 'always']),
  };
  if (issuer === undefined && clientId === undefined && rest.clientSecret === undefined) return undefined;
  if (issuer === undefined || clientId === undefined)
    throw new ConfigError('SVC_OIDC_ISSUER and SVC_OIDC_CLIENT_ID belong together: one of them is not set');
  if (!isIssuer(issuer))
    throw new ConfigError(
      `SVC_OIDC_ISSUER is "${issuer}": an address that begins with https:// expected; http:// is for this machine only`,
    );
  if ((rest.groupsClaim === undefined) !== (rest.groupWorkspaces.length === 0))
    throw new ConfigError(
      'SVC_OIDC_GROUPS_CLAIM and SVC_OIDC_GROUPS_WORKSPACES belong together: the latter has the usernames of the workspaces that may give roles to groups, or * for all',
    );
  if (!rest.scopes.split(' ').includes('openid'))
    throw new ConfigError(
      `SVC_OIDC_SCOPES is "${rest.scopes}": scopes with spaces between them, one of them openid`,
    );
  return { issuer, clientId, ...rest };
}

/** OpenID Connect requires https. Loopback is for trying it out. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return isHttpsOrLoopback(text);
}

function isHttpsOrLoopback(url: string): boolean {
  return new URL(url).protocol === 'https:' || isLoopbackUri(url);
}

/** The variables of OpenTelemetry. Without an endpoint nothing is traced. */
export function tracesOf(read: ReadVariable): TraceSettings | undefined {
  const endpoint = readHttpUrl('OTEL_EXPORTER_OTLP_ENDPOINT', read('OTEL_EXPORTER_OTLP_ENDPOINT'));
  if (endpoint === undefined) return undefined;
  const sampler = read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  return {
    endpoint,
    headers: traceHeaders(read('OTEL_EXPORTER_OTLP_HEADERS')),
    serviceName: read('OTEL_SERVICE_NAME') ?? 'svc',
    sampler: readOneOf('OTEL_TRACES_SAMPLER', sampler, SAMPLERS),
    ratio: readShare('OTEL_TRACES_SAMPLER_ARG', read('OTEL_TRACES_SAMPLER_ARG')) ?? 1,
    delayMs:
      readWholeNumber('OTEL_BSP_SCHEDULE_DELAY', read('OTEL_BSP_SCHEDULE_DELAY'), MAX_TRACE_DELAY_MS) ??
      TRACE_DELAY_MS,
  };
}

/** Parses `name=value,name=value` with percent-encoding, as in W3C Baggage. Values may be secret. */
function traceHeaders(text: string | undefined): Record<string, string> {
  return Object.fromEntries(
    readCommaList(text).map((item) => {
      const [, name, value = ''] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.+)$/.exec(item) ?? [];
      const decoded = percentDecoded(value);
      if (name === undefined || decoded === undefined || !/^[\x20-\x7e]+$/.test(decoded))
        throw new ConfigError('OTEL_EXPORTER_OTLP_HEADERS: name=value expected, with commas between them');
      return [name, decoded];
    }),
  );
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function natsUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^(?:nats|tls):$/.test(url.protocol) && url.host !== '') return url;
  throw new ConfigError('NATS_URL: addresses that begin with nats:// or tls:// expected, with commas');
}
