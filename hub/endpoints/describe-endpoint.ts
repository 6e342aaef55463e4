import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { outdoneOverrides } from '@svc/core/endpoint/managed/overrides';
import { acceptedBy } from '@svc/core/endpoint/value/type/accepted';
import type { Transform } from '@svc/core/execution/transform/transform';
import type { WireDefinition } from '@svc/core/protocol/definition';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import { time } from '../platform/http/time.ts';
import type { Settings } from '../platform/settings.ts';
import type { EndpointWait } from '../secret-grants/list-grants.ts';
import type { EndpointVersion, RegisteredEndpoint } from './endpoint-ports.ts';

export interface DescribeEndpointDeps {
  readonly agents: AgentDirectory;
  readonly settings: Settings;
}

const DEFAULT_AGENT = 'default';

/** A complete endpoint for the API, with its overrides both applied and listed. */
export function describeEndpoint(
  { agents, settings }: DescribeEndpointDeps,
  username: string | undefined,
  registered: RegisteredEndpoint,
  waitsFor: readonly EndpointWait[] = [],
) {
  const { id, endpoint, source, version, overrides } = registered;
  const { slug, agentName } = endpoint;
  return {
    id,
    slug,
    name: slug,
    url: `${settings.baseUrl}/v1/${username ?? ''}/${slug}`,
    source,
    agent_name: agentName ?? registered.registeredBy ?? DEFAULT_AGENT,
    agent_status: agentStatus(agents, registered),
    waits_for: waitsFor.map(({ secret, kind, state, reason }) => ({ secret, kind, state, reason })),
    version,
    created_at: time(registered.createdAtMs),
    updated_at: time(registered.updatedAtMs),
    ...definitionFields(endpoint),
    overrides,
    outdone: outdoneOverrides(JSON.parse(registered.definition) as WireDefinition, overrides),
  };
}

/** One version of an endpoint, in the form of a file. */
export function describeVersion(one: EndpointVersion) {
  return {
    version: one.version,
    source: one.source,
    created_at: time(one.createdAtMs),
    definition_hash: one.definitionHash,
    definition: JSON.parse(one.definition) as Record<string, unknown>,
    overrides: one.overrides,
  };
}

/** The expected outcome of a call now, as far as it depends on the agent (decision 32). */
function agentStatus(
  agents: DescribeEndpointDeps['agents'],
  registered: RegisteredEndpoint,
): 'online' | 'offline' | 'local_only' {
  const process = agents.choose(registered);
  if (process === undefined) return 'offline';
  return registered.source === 'api' && process.isLocalOnly ? 'local_only' : 'online';
}

function definitionFields(endpoint: Endpoint) {
  return {
    method: endpoint.method ?? null,
    description: endpoint.description ?? null,
    command: endpoint.command,
    args: endpoint.args.map(describeArgument),
    timeout: endpoint.timeoutSec,
    env: endpoint.env,
    accepts_env: endpoint.acceptsEnv,
    cwd: endpoint.cwd ?? null,
    transform: endpoint.transform === undefined ? null : describeTransform(endpoint.transform),
    public: endpoint.public,
    on_disconnect: endpoint.onDisconnect,
    max_concurrent: endpoint.maxConcurrent ?? null,
    schedule: endpoint.schedule ?? null,
    approval_required: endpoint.approvalRequired,
    approval_timeout_mins: endpoint.approvalTimeoutMins,
    approvers: endpoint.approvers ?? null,
    allow_self: endpoint.allowSelf,
    approver_keys: endpoint.approverKeys ?? null,
    callback_url: endpoint.callbackUrl ?? null,
  };
}

function describeArgument(argument: Argument) {
  const { name, type, inferred, required, description, choices, pattern, secret } = argument;
  return {
    name,
    type,
    inferred,
    accepts: acceptedBy(argument),
    required,
    default: argument.default,
    description,
    choices,
    pattern,
    root: argument.root,
    schemes: argument.schemes,
    hosts: argument.hosts,
    max_length: argument.maxLength,
    secret,
    allow_dash: argument.allowDash,
  };
}

function describeTransform({ parse, pattern, select, onError }: Transform) {
  return { parse, pattern, select, on_error: onError };
}
