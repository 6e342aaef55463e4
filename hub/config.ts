import { homedir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@svc/core/plan/limits';
import { PLANS, type Plan } from '@svc/core/plan/plans';
import type { NatsSettings } from './platform/bus/nats-settings.ts';
import { natsOf, oidcOf, s3Of, tracesOf } from './platform/config-of-services.ts';
import type { S3Settings } from './platform/files/s3-settings.ts';
import type { OidcSettings } from './platform/oidc-settings.ts';
import {
  ConfigError,
  readCommaList,
  readHttpUrl,
  readKey,
  readNetworks,
  readOneOf,
  readWholeNumber,
} from './platform/read-variable.ts';
import type { TraceSettings } from './platform/tracing/trace-settings.ts';

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
