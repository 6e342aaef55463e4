import { openApprovalWarning } from '@svc/core/approval/may-decide';
import { encodeArgument, encodeEndpoint } from '@svc/core/config/definition/endpoint-codec';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { outdoneOverrides } from '@svc/core/endpoint/managed/overrides';
import { acceptedBy } from '@svc/core/endpoint/value/type/accepted';
import { hostedWarning } from '@svc/core/plan/hosted';
import type { Plan } from '@svc/core/plan/plans';
import type { WireDefinition } from '@svc/core/protocol/definition';
import type { Workspace } from '../accounts/account-ports.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import { isHosted } from '../agents/host-address.ts';
import { time } from '../platform/http/json-response.ts';
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
  { username, plan }: Pick<Workspace, 'username' | 'plan'>,
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
    warnings: [...planWarnings(plan, registered), openApprovalWarning(endpoint)].filter(
      (text) => text !== undefined,
    ),
    overrides,
    outdone: outdoneOverrides(JSON.parse(registered.definition) as WireDefinition, overrides),
  };
}

/**
 * The warnings about endpoints that the plan refuses or limits. A workspace may change its plan, so an endpoint beyond it is
 * stored all the same.
 */
function planWarnings(plan: Plan, registered: RegisteredEndpoint): string[] {
  if (!isHosted(registered)) return [];
  const { slug, timeoutSec } = registered.endpoint;
  const warning = hostedWarning(plan, slug, timeoutSec);
  return warning === undefined ? [] : [warning];
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

/** The expected outcome of a call now, as far as it depends on the agent (decision 32, commands of a file stay on the agent). */
function agentStatus(
  agents: DescribeEndpointDeps['agents'],
  registered: RegisteredEndpoint,
): 'online' | 'offline' | 'local_only' {
  const process = agents.choose(registered);
  if (process === undefined) return 'offline';
  return registered.source === 'api' && process.isLocalOnly ? 'local_only' : 'online';
}

function definitionFields(endpoint: Endpoint) {
  const { name: _slug, agent_name: _agent, ...fields } = encodeEndpoint(endpoint);
  return {
    ...withNulls(fields),
    args: endpoint.args.map((argument) => ({
      ...encodeArgument(argument),
      inferred: argument.inferred,
      accepts: acceptedBy(argument),
    })),
  };
}

type WithNulls<Fields> = {
  readonly [Key in keyof Fields]: undefined extends Fields[Key]
    ? Exclude<Fields[Key], undefined> | null
    : Fields[Key];
};

function withNulls<Fields extends object>(fields: Fields): WithNulls<Fields> {
  const entries = Object.entries(fields).map(([key, value]) => [key, value ?? null]);
  return Object.fromEntries(entries) as WithNulls<Fields>;
}
