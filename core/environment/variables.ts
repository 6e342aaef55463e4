import { suggest } from '../suggest.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable with the prefix `SVC_` that the program reads. */
export const SVC_VARIABLES = [
  'SVC_ACCESS_TOKEN',
  'SVC_AGENT_NAME',
  'SVC_ALERT_PRIVATE_NETWORKS',
  'SVC_API_KEY',
  'SVC_ARTIFACTS_DIR',
  'SVC_BASE_URL',
  'SVC_CONTEXT',
  'SVC_DATA_DIR',
  'SVC_DEFAULT_PLAN',
  'SVC_DRAIN_S',
  'SVC_FORWARD_CAP_S',
  'SVC_HOST',
  'SVC_HUB_URL',
  'SVC_LOG_LEVEL',
  'SVC_MAIL_FROM',
  'SVC_MASTER_KEY',
  'SVC_MASTER_KEY_OLD',
  'SVC_MCP_DCR',
  'SVC_OIDC_CLIENT_ID',
  'SVC_OIDC_CLIENT_SECRET',
  'SVC_OIDC_EMAIL_VERIFIED',
  'SVC_OIDC_GROUPS_CLAIM',
  'SVC_OIDC_GROUPS_WORKSPACES',
  'SVC_OIDC_ISSUER',
  'SVC_OIDC_NAME',
  'SVC_OIDC_SCOPES',
  'SVC_OPERATORS',
  'SVC_OUTPUT_SEARCH',
  'SVC_OWN_WORKSPACES',
  'SVC_PORT',
  'SVC_RATE_LIMITS',
  'SVC_RELEASE_URL',
  'SVC_S3_ACCESS_KEY_ID',
  'SVC_S3_BUCKET',
  'SVC_S3_ENDPOINT',
  'SVC_S3_PREFIX',
  'SVC_S3_REGION',
  'SVC_S3_SECRET_ACCESS_KEY',
  'SVC_SCIM_WORKSPACES',
  'SVC_SIGNUP',
  'SVC_TOKEN',
  'SVC_TOKEN_FILE',
  'SVC_TRUSTED_PROXIES',
  'SVC_USERNAME',
] as const;

/** Variables of commands, which may themselves call `svc`, of the guards of their stdin, and of examples and tests. */
const OF_OTHERS = /^SVC_(?:ARG_|SECRET_|TEST_|EXECUTION_ID$|OUTPUT_DIR$|STDIN_GUARD$|ENDPOINT$|BINARY$)/;

/**
 * A warning for each variable with the prefix that the program does not read. Such a name is most likely misspelt (decision
 * 64, borders of people and browsers).
 */
export function unknownVariables(environment: Environment): string[] {
  const known: ReadonlySet<string> = new Set(SVC_VARIABLES);
  return Object.keys(environment)
    .filter((name) => name.startsWith('SVC_') && !known.has(name))
    .filter((name) => !OF_OTHERS.test(name) && !isOfKubernetes(name, environment))
    .sort()
    .map((name) => {
      const meant = suggest(name, SVC_VARIABLES);
      const hint = meant === undefined ? '' : `: did you mean ${meant}?`;
      return `svc reads no variable ${name}${hint}`;
    });
}

/**
 * Kubernetes gives each container the addresses of services. A service "svc-web" yields SVC_WEB_SERVICE_HOST and
 * SVC_WEB_PORT_….
 */
function isOfKubernetes(name: string, environment: Environment): boolean {
  const [, service] = /^(\w+?)_(?:SERVICE_HOST|SERVICE_PORT|PORT)(?:_\w+)?$/.exec(name) ?? [];
  return service !== undefined && environment[`${service}_SERVICE_HOST`] !== undefined;
}
