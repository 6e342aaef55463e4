import { openApprovalWarning } from '@svc/core/approval/may-decide';
import { fourEyesIssues } from '@svc/core/config/definition/four-eyes';
import { sentenceOf } from '@svc/core/config/validation-issue';
import { hostedWarning } from '@svc/core/plan/hosted';
import { readAlerts } from '@svc/core/protocol/definition';
import { ignoredWarning, isBeyondCap } from '@svc/core/schedule/cap';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import { isHosted } from '../agents/host-address.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import { type OlderHubsDeps, olderHubsProblem } from '../cluster/refuse-older-hubs.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { RegisteredPipeline } from '../pipelines/pipeline-ports.ts';
import { pipelineProblems } from '../pipelines/pipeline-problems.ts';
import type { Clock } from '../platform/world.ts';
import type { ScheduleDeps } from '../schedules/schedule-ports.ts';
import { secretWarnings } from '../secret-grants/secret-terms.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import {
  type Announcement,
  checkAnnounced,
  checkAnnouncedPipeline,
  type ReadDefinitions,
} from './check-announced.ts';
import { type DeclaredAlertsDeps, type EndpointAlert, followDeclaredAlerts } from './declared-alerts.ts';

/** The result of a registration for the agent. */
export interface Registered {
  /** The slugs of endpoints and pipelines. */
  readonly registered: readonly string[];
  readonly refused: readonly { readonly slug: string; readonly reason: string }[];
  readonly warnings: readonly string[];
}

export type RegisterDeps = {
  readonly secrets: Secrets;
  readonly endpoints: Endpoints;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly agents: AgentDirectory;
  readonly knownAgents: KnownAgents;
  readonly credentials: Credentials;
} & OlderHubsDeps &
  ScheduleDeps &
  DeclaredAlertsDeps & { readonly definitions: ReadDefinitions };

/**
 * Makes the endpoints and pipelines of an agent name equal to its file (decision 28, the connection of an agent; decision 31, which
 * agent runs an endpoint; decision 33, the file is the source of its endpoints).
 */
export async function registerEndpoints(
  { definitions, ...deps }: RegisterDeps,
  agent: Omit<AgentProcess, 'running'>,
  { endpoints: announced, pipelines: graphs = [] }: Announcement,
): Promise<Registered> {
  const problem = announced.some(asksForPasskey)
    ? await olderHubsProblem(deps, 'passkeyApproval')
    : undefined;
  const checked = announced.map((one) => {
    if (problem !== undefined && asksForPasskey(one))
      return { kind: 'refused', slug: one.name, reason: `approval: passkey: ${problem}` } as const;
    return checkAnnounced(definitions, one);
  });
  const checkedPipelines = graphs.map(checkAnnouncedPipeline);
  const file = {
    endpoints: checked.flatMap((one) => (one.kind === 'sound' ? one.sound : [])),
    pipelines: checkedPipelines.flatMap((one) => (one.kind === 'sound' ? one.sound : [])),
  };
  const mistaken = [...checked, ...checkedPipelines].flatMap((one) =>
    one.kind === 'refused' ? { slug: one.slug, reason: one.reason } : [],
  );
  const { workspaceId, name, instance, credential } = agent;
  const process = credential && { tokenId: credential.tokenId, instance };
  const stored = await deps.endpoints.register(workspaceId, name, file, deps.clock.nowMs(), process);
  const { registered, pipelines, refused } = stored;
  const declared = alertsOf(announced, registered);
  return {
    registered: [
      ...registered.map(({ endpoint }) => endpoint.slug),
      ...pipelines.map(({ pipeline }) => pipeline.slug),
    ],
    refused: [...mistaken, ...refused],
    warnings: [
      ...registered.flatMap(({ endpoint }) => openApprovalWarning(endpoint) ?? []),
      ...registered.flatMap(unknownCallerWarnings),
      ...(await scheduleWarnings(deps, workspaceId, registered)),
      ...(await hostedWarnings(deps, workspaceId, registered)),
      ...(await secretWarnings(deps, agent, registered)),
      ...declared.problems,
      ...(await followDeclaredAlerts(deps, agent, declared.alerts)),
      ...(await pipelineWarnings(deps, workspaceId, pipelines)),
    ],
  };
}

/** A hub that does not know the key cannot read the definition (decision 108, hubs of an earlier version). */
function asksForPasskey({ definition }: Announcement['endpoints'][number]): boolean {
  return definition.approval !== undefined;
}

/** The alerts that are announced with the endpoints that are registered, and what is wrong with the others. */
function alertsOf(announced: Announcement['endpoints'], registered: readonly RegisteredEndpoint[]) {
  const bySlug = new Map(registered.map((one) => [one.endpoint.slug, one]));
  const alerts: EndpointAlert[] = [];
  const problems: string[] = [];
  for (const { name, alerts: list } of announced) {
    const one = bySlug.get(name);
    if (list === undefined || one === undefined) continue;
    const read = readAlerts(list);
    alerts.push(...read.alerts.map((alert) => ({ registered: one, ...alert })));
    problems.push(...read.problems.map((problem) => `"${name}": ${problem}; it is left out`));
  }
  return { alerts, problems };
}

/** Warnings about endpoints that a pipeline needs and that are missing now; another agent may register them later. */
async function pipelineWarnings(
  deps: Parameters<typeof pipelineProblems>[0],
  workspaceId: string,
  pipelines: readonly RegisteredPipeline[],
): Promise<string[]> {
  const problemsOf = await pipelineProblems(deps, workspaceId, pipelines);
  return pipelines.flatMap((registered) => {
    const problems = problemsOf(registered);
    if (problems.length === 0) return [];
    const named = problems.slice(0, MAX_PROBLEMS).map(sentenceOf);
    const more = problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : [];
    return [`pipeline "${registered.pipeline.slug}" is not ready: ${[...named, ...more].join('; ')}`];
  });
}

const MAX_PROBLEMS = 5;

/** Warnings about schedules beyond the limit of the plan; schedules that were registered earlier count first (reference 8). */
async function scheduleWarnings(
  { accounts, schedules }: { readonly accounts: Accounts } & ScheduleDeps,
  workspaceId: string,
  registered: readonly RegisteredEndpoint[],
): Promise<string[]> {
  const slugs = new Map(registered.map(({ id, endpoint }) => [id, endpoint.slug]));
  if (registered.every(({ endpoint }) => endpoint.schedule === undefined)) return [];
  const plan = (await accounts.workspaceById(workspaceId))?.plan;
  if (plan === undefined) return [];
  return (await schedules.ofWorkspace(workspaceId)).flatMap(({ endpointId, earlier }) => {
    const slug = slugs.get(endpointId);
    return slug === undefined || !isBeyondCap(earlier, plan) ? [] : [ignoredWarning(slug, plan)];
  });
}

/** Warnings about endpoints for the hosted runner that the plan limits (reference 8). */
async function hostedWarnings(
  { accounts }: { readonly accounts: Accounts },
  workspaceId: string,
  registered: readonly RegisteredEndpoint[],
): Promise<string[]> {
  const hosted = registered.filter(isHosted);
  const plan = hosted.length === 0 ? undefined : (await accounts.workspaceById(workspaceId))?.plan;
  if (plan === undefined) return [];
  return hosted.flatMap(({ endpoint }) => hostedWarning(plan, endpoint.slug, endpoint.timeoutSec) ?? []);
}

/** A warning about fields that agents of an earlier version still announce (decision 60, the file is a floor). */
function unknownCallerWarnings({ endpoint: { slug }, definition }: RegisteredEndpoint): string[] {
  const issues = fourEyesIssues(JSON.parse(definition), []);
  return issues.map(
    ({ path, message }) => `"${slug}" is registered without its ${path.join('.')}: ${message}`,
  );
}
