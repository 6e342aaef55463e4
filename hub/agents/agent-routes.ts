import { refuse } from '@svc/core/refusal';
import type { AgentToken } from '../accounts/account-ports.ts';
import { makeAgentToken } from '../accounts/make-tokens.ts';
import { revokeAgentToken } from '../accounts/revoke-tokens.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { seesSlug } from '../http/principal.ts';
import { time } from '../platform/http/json-response.ts';
import { limitedNetwork } from '../platform/http/limited-network.ts';
import { pageOf } from '../platform/page-of-items.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { KnownAgent } from './agent-ports.ts';
import type { AgentDirectory } from './directory-ports.ts';
import { enrolAgent } from './enrol-agent.ts';
import { shownProcess } from './shown-process.ts';
import type { KnownAgents } from './store/agent-store.ts';

export interface AgentRoutesDeps extends DescribeAgentsDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly agents: AgentDirectory;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly limiter: RateLimiter;
  readonly random: Random;
  readonly settings: Settings;
}

/** Exchanges of enrolment tokens per minute from one network: a room of machines behind one address is connected at once. */
const ENROLMENTS_PER_MINUTE = 60;

type Routes = Pick<
  Handlers,
  'makeAgentToken' | 'enrolAgent' | 'listAgentTokens' | 'revokeAgentToken' | 'listAgents'
>;

/** Agent tokens, and the agents that connect with them. */
export function agentRoutes(deps: AgentRoutesDeps): Routes {
  return {
    async makeAgentToken({ request, body, acting: { member, workspace } }) {
      const { name, agent_name: one, agent_names: agentNames = one === undefined ? [] : [one] } = body;
      const { pool: isPool = false, enrolment: isEnrolment = false } = body;
      const owner = { workspaceId: workspace.id, createdBy: member.userId };
      const wanted = { ...owner, name, agentNames, isPool, isEnrolment };
      const { row, token } = await makeAgentToken(deps, wanted, sourceOf(deps, request, member));
      const line = isEnrolment ? connectCommand(deps.settings, token, agentNames[0]) : null;
      return { ...describeToken(row), token, connect_command: line };
    },
    async enrolAgent({ request, body: { token } }) {
      const network = limitedNetwork(deps.addressOf(request));
      deps.limiter.take(`enrolment address:${network}`, ENROLMENTS_PER_MINUTE);
      return { token: await enrolAgent(deps, token, originOf(deps, request)) };
    },
    async listAgentTokens({ acting: { workspace }, query }) {
      const tokens = await deps.credentials.agentTokensOf(workspace.id);
      return pageOf(tokens.map(describeToken), ({ id }) => id, query);
    },
    async revokeAgentToken({ request, acting: { member, workspace }, parameters: { id } }) {
      const token = (await deps.credentials.agentTokensOf(workspace.id)).find((one) => one.id === id);
      const by = sourceOf(deps, request, member);
      if (token === undefined || !(await revokeAgentToken(deps, token, by)))
        throw refuse('not_found', 'there is no such agent token');
    },
    async listAgents({ acting, query }) {
      const known = await deps.knownAgents.ofWorkspace(acting.workspace.id);
      const keyed = known.map((agent) => ({ agent, key: `${agent.name} ${shownProcess(agent.instance)}` }));
      const page = pageOf(keyed, ({ key }) => key, query);
      const described = await describeAgents(
        deps,
        acting.workspace.id,
        page.items.map(({ agent }) => agent),
      );
      const items = described.map(({ endpoints, ...agent }) => ({
        ...agent,
        endpoints: endpoints.filter((slug) => seesSlug(acting, slug)),
      }));
      return { ...page, items };
    },
  };
}

function describeToken(token: AgentToken) {
  const { id, name, last4, agentNames } = token;
  return {
    id,
    name,
    last4,
    agent_name: agentNames[0] ?? null,
    agent_names: [...agentNames],
    bound_at: time(token.boundAtMs),
    pool: token.isPool,
    created_by: token.createdBy,
    created_at: time(token.createdAtMs),
    revoked_at: time(token.revokedAtMs),
    enrol_until: time(token.enrolUntilMs),
  };
}

export interface DescribeAgentsDeps {
  readonly agents: Pick<AgentDirectory, 'connected'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly endpoints: Pick<Endpoints, 'list'>;
  readonly hubId: string;
  readonly knownAgents: Pick<KnownAgents, 'ofWorkspace' | 'running'>;
}

/** Describes agent processes of a workspace, with their endpoints and executions (decision 47, answers of the management API). */
export async function describeAgents(
  { agents, knownAgents, endpoints, clock, hubId }: DescribeAgentsDeps,
  workspaceId: string,
  described: readonly KnownAgent[],
) {
  const [running, registered] = await Promise.all([
    knownAgents.running(workspaceId),
    endpoints.list(workspaceId),
  ]);
  const here = new Set(agents.connected(workspaceId).map(keyOf));
  const counts = new Map(running.map((one) => [keyOf(one), one.count]));
  const ofFiles = Map.groupBy(registered, ({ source, registeredBy }) =>
    source === 'config' ? registeredBy : undefined,
  );
  const nowMs = clock.nowMs();
  return described.map((agent) => {
    // The store is right about other live hubs; for this hub the registry is newer.
    const isOnline = agent.hubId === hubId ? here.has(keyOf(agent)) : agent.hubId !== undefined;
    const own = ofFiles.get(agent.name) ?? [];
    return {
      name: agent.name,
      id: shownProcess(agent.instance),
      status: isOnline ? ('online' as const) : ('offline' as const),
      version: agent.version,
      host: { hostname: agent.hostname, os: agent.os, arch: agent.arch },
      local_only: agent.isLocalOnly,
      connected_at: isOnline ? time(agent.connectedAtMs) : null,
      // The store may not have a disconnect of this moment yet.
      last_seen_at: time(agent.hubId === undefined ? agent.seenAtMs : nowMs),
      journal_damaged_at: agent.journalDamagedAtMs === undefined ? null : time(agent.journalDamagedAtMs),
      running: counts.get(keyOf(agent)) ?? 0,
      endpoints: own.map(({ endpoint: { slug } }) => slug),
    };
  });
}

function keyOf({ name, instance }: Pick<KnownAgent, 'name' | 'instance'>): string {
  return `${name} ${instance}`;
}

/**
 * The shell line that installs `svc` on a machine and connects its agent. The token works once and for minutes, so the history
 * of the shell keeps nothing of use. A program that no release made cannot install itself elsewhere.
 */
function connectCommand(
  { releasesUrl, hubUrl }: Pick<Settings, 'releasesUrl' | 'hubUrl'>,
  enrolmentToken: string,
  agentName: string | undefined,
): string {
  const install =
    releasesUrl === undefined ? '' : `curl -fsSL ${quoted(`${releasesUrl}/latest/install.sh`)} | sudo sh && `;
  // Each agent token has a name of its own, so each machine needs another one than `default`.
  const name = agentName === undefined ? '"$(uname -n)"' : quoted(agentName);
  const options = `--base-url ${quoted(hubUrl)} --name ${name} --token-file -`;
  return `${install}echo ${enrolmentToken} | sudo svc agent install ${options}`;
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
