import { homedir } from 'node:os';
import { join } from 'node:path';
import { isLoopbackUri } from '@svc/core/oauth/redirect-uri';
import { LIMITS } from '@svc/core/plan/limits';
import { PLANS, type Plan } from '@svc/core/plan/plans';
import type { NatsSettings } from './platform/bus/nats-settings.ts';
import type { S3Settings } from './platform/files/s3-settings.ts';
import type { OidcSettings } from './platform/oidc-settings.ts';
import {
  ConfigError,
  readCommaList,
  readHttpUrl,
  readKey,
  readNetworks,
  readOneOf,
  readShare,
  readWholeNumber,
} from './platform/read-variable.ts';
import { SAMPLERS, type TraceSettings } from './platform/tracing/trace-settings.ts';

export const DEFAULT_PORT = 8787;
export const DEFAULT_HOST = '127.0.0.1';

/** The configuration of a hub, only from the environment (decision 54, configuration of a hub). */
export interface HubConfig {
  readonly dataDir: string;
  /** The folder of the artifacts. Several hubs share one. */
  readonly artifactsDir: string;
  /** False: the default, which is a folder of this hub alone. */
  readonly hasArtifactsDir: boolean;
  /** The object store of the artifacts; absent: they are in the folder. */
  readonly s3: S3Settings | undefined;
  /** Absent: SQLite in the data folder. */
  readonly databaseUrl: string | undefined;
  /** The bus between hubs that share a PostgreSQL; absent: hubs poll the store for changes of the others. */
  readonly nats: NatsSettings | undefined;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Absent: the address on which the hub listens. */
  readonly hubUrl: string | undefined;
  readonly baseUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** 32 bytes; absent: generated into the data folder. */
  readonly masterKey: Uint8Array | undefined;
  /** Older keys, which open texts from before a change of the master key. */
  readonly olderMasterKeys: readonly Uint8Array[];
  readonly defaultPlan: Plan;
  readonly rates: { readonly [Name in 'key' | 'public' | 'signIn']: number | 'off' | undefined };
  readonly signup: 'open' | 'invited';
  /** How many workspaces a person may own by creating them. */
  readonly ownWorkspaces: number;
  /** The OpenID provider for sign-in; absent: people sign in by mail only. */
  readonly oidc: OidcSettings | undefined;
  /** Whether MCP clients may register themselves. */
  readonly mcpClientRegistration: 'on' | 'off';
  /** Whether stored output is indexed. */
  readonly outputSearch: 'on' | 'off';
  readonly operators: readonly string[];
  /** The proxies whose `X-Forwarded-For` is trusted: addresses, or networks such as `10.0.0.0/8`. */
  readonly trustedProxies: readonly string[];
  readonly forwardCapSec: number;
  /** How long a stopping hub announces its stop and works on, until load balancers send it nothing new. */
  readonly drainSec: number;
  /** The usernames of the workspaces that may be provisioned by SCIM, or `*`. */
  readonly scimWorkspaces: readonly string[];
  /** Private networks that alerts may reach, such as `10.0.0.0/8`. */
  readonly alertPrivateNetworks: readonly string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** The export of spans; absent: no tracing. */
  readonly traces: TraceSettings | undefined;
}

const TRACE_DELAY_MS = 1_000;
const MAX_TRACE_DELAY_MS = 60_000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
const RATE_NAMES = { key: 'key', public: 'public', sign_in: 'signIn' } as const;
const DAY_SEC = 86_400;
const DRAIN_SEC = 10;
const MAX_DRAIN_SEC = 600;
const MAX_OWN_WORKSPACES = 1_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** The only reader of the environment; throws a `ConfigError`. */
export function readHubConfig(environment: Environment): HubConfig {
  const read = (name: string) => environment[name] || undefined;
  const databaseUrl = read('DATABASE_URL');
  const masterKey = read('SVC_MASTER_KEY');
  if (databaseUrl !== undefined && !/^postgres(?:ql)?:\/\//.test(databaseUrl))
    throw new ConfigError('DATABASE_URL: an address that begins with postgres:// expected');
  if (databaseUrl !== undefined && masterKey === undefined)
    throw new ConfigError(
      'SVC_MASTER_KEY is needed with DATABASE_URL: 64 hexadecimal digits, the same for every hub',
    );
  return {
    dataDir: dataDirOf(environment),
    artifactsDir: read('SVC_ARTIFACTS_DIR') ?? join(dataDirOf(environment), 'artifacts'),
    hasArtifactsDir: read('SVC_ARTIFACTS_DIR') !== undefined,
    s3: s3Of(read),
    databaseUrl,
    nats: natsOf(read),
    host: read('SVC_HOST') ?? DEFAULT_HOST,
    port: readWholeNumber('SVC_PORT', read('SVC_PORT'), 65_535) ?? DEFAULT_PORT,
    hubUrl: readHttpUrl('SVC_HUB_URL', read('SVC_HUB_URL')),
    baseUrl: readHttpUrl('SVC_BASE_URL', read('SVC_BASE_URL')),
    smtpUrl: read('SMTP_URL'),
    mailFrom: read('SVC_MAIL_FROM') ?? 'svc <no-reply@localhost>',
    masterKey: masterKey === undefined ? undefined : readKey('SVC_MASTER_KEY', masterKey),
    olderMasterKeys: olderKeys(masterKey, read('SVC_MASTER_KEY_OLD')),
    defaultPlan: readOneOf('SVC_DEFAULT_PLAN', read('SVC_DEFAULT_PLAN') ?? 'unlimited', PLANS),
    rates: rates(read('SVC_RATE_LIMITS')),
    ownWorkspaces:
      readWholeNumber('SVC_OWN_WORKSPACES', read('SVC_OWN_WORKSPACES'), MAX_OWN_WORKSPACES) ??
      LIMITS.ownWorkspaces,
    signup: readOneOf('SVC_SIGNUP', read('SVC_SIGNUP') ?? 'open', ['open', 'invited']),
    oidc: oidcOf(read),
    mcpClientRegistration: readOneOf('SVC_MCP_DCR', read('SVC_MCP_DCR') ?? 'off', ['on', 'off']),
    outputSearch: readOneOf('SVC_OUTPUT_SEARCH', read('SVC_OUTPUT_SEARCH') ?? 'on', ['on', 'off']),
    operators: readCommaList(read('SVC_OPERATORS')).map((email) => email.toLowerCase()),
    trustedProxies: readNetworks('SVC_TRUSTED_PROXIES', read('SVC_TRUSTED_PROXIES')),
    forwardCapSec:
      readWholeNumber('SVC_FORWARD_CAP_S', read('SVC_FORWARD_CAP_S'), DAY_SEC) ?? LIMITS.forwardCapSec,
    // A single hub has no other hub to send clients to.
    drainSec:
      readWholeNumber('SVC_DRAIN_S', read('SVC_DRAIN_S'), MAX_DRAIN_SEC) ??
      (read('NATS_URL') ? DRAIN_SEC : 0),
    scimWorkspaces: readCommaList(read('SVC_SCIM_WORKSPACES')),
    alertPrivateNetworks: readNetworks('SVC_ALERT_PRIVATE_NETWORKS', read('SVC_ALERT_PRIVATE_NETWORKS')),
    logLevel: readOneOf('SVC_LOG_LEVEL', read('SVC_LOG_LEVEL') ?? 'info', LOG_LEVELS),
    traces: tracesOf(read),
  };
}

/** The variables without `SVC_` whose values may hold a password. */
const SECRET_VARIABLES: readonly string[] = [
  'DATABASE_URL',
  'SMTP_URL',
  'NATS_URL',
  'NATS_CREDS',
  'NATS_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
];

/**
 * The environment that an agent beside a hub passes to commands (decision 59, the agent's token stays with the agent): without the
 * hub's own variables.
 */
export function withoutHubSecrets(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET_VARIABLES.includes(name)));
}

/** The default data folder of this user (XDG Base Directory Specification). */
export function dataDirOf({ SVC_DATA_DIR, XDG_DATA_HOME }: Environment): string {
  return SVC_DATA_DIR || join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'svc');
}

/** The configuration for `--print-config`, without secrets. */
export function printableConfig({
  masterKey,
  olderMasterKeys,
  databaseUrl,
  smtpUrl,
  nats,
  traces,
  oidc,
  s3,
  ...rest
}: HubConfig): Record<string, unknown> {
  return {
    ...rest,
    databaseUrl: databaseUrl && maskedUrl(databaseUrl),
    smtpUrl: smtpUrl && maskedUrl(smtpUrl),
    nats: nats && { ...nats, user: nats.user && '***', password: nats.password && '***' },
    traces: traces && {
      ...traces,
      endpoint: maskedUrl(traces.endpoint),
      headers: Object.fromEntries(Object.keys(traces.headers).map((name) => [name, '***'])),
    },
    oidc: oidc && { ...oidc, clientSecret: oidc.clientSecret && '***' },
    s3: s3 && { ...s3, accessKeyId: '***', secretAccessKey: '***' },
    masterKey: masterKey && '***',
    olderMasterKeys: olderMasterKeys.map(() => '***'),
  };
}

/** The variables have the same names as those of the NATS programs. */
function natsOf(read: (name: string) => string | undefined): NatsSettings | undefined {
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

function s3Of(read: (name: string) => string | undefined): S3Settings | undefined {
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
  return { endpoint, bucket, region, prefix, accessKeyId, secretAccessKey };
}

/** The operator may name any issuer, also one in a private network. */
function oidcOf(read: (name: string) => string | undefined): OidcSettings | undefined {
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
  return url.protocol === 'https:' || isLoopbackUri(text);
}

/** The variables of OpenTelemetry. Without an endpoint nothing is traced. */
function tracesOf(read: (name: string) => string | undefined): TraceSettings | undefined {
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

function maskedUrl(text: string): string {
  return text.replace(/\/\/[^@/]*@/, '//***@');
}

/** `key=600,public=off,sign_in=10`, calls per minute, or `off` for all. */
function rates(text: string | undefined): HubConfig['rates'] {
  if (text === 'off') return { key: 'off', public: 'off', signIn: 'off' };
  const read: Record<keyof HubConfig['rates'], number | 'off' | undefined> = {
    key: undefined,
    public: undefined,
    signIn: undefined,
  };
  for (const item of readCommaList(text)) {
    const [name = '', value = ''] = item.split('=');
    const rate = value === 'off' ? value : /^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined;
    if (!Object.hasOwn(RATE_NAMES, name) || rate === undefined)
      throw new ConfigError(`SVC_RATE_LIMITS has "${item}": key=600,public=60,sign_in=10 or off expected`);
    read[RATE_NAMES[name as keyof typeof RATE_NAMES]] = rate;
  }
  return read;
}

function olderKeys(masterKey: string | undefined, text: string | undefined): Uint8Array[] {
  if (text !== undefined && masterKey === undefined)
    throw new ConfigError('SVC_MASTER_KEY_OLD is for the keys before SVC_MASTER_KEY, which is not set');
  return readCommaList(text).map((key) => readKey('SVC_MASTER_KEY_OLD', key));
}
