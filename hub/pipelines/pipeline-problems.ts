import { atValue, type ValidationIssue } from '@svc/core/config/validation-issue';
import type { StepSurroundings } from '@svc/core/pipeline/definition/check-call';
import { surroundingsIssues } from '@svc/core/pipeline/definition/check-surroundings';
import { managedSecretOf } from '@svc/core/pipeline/definition/trigger-secret';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { Credentials } from '../accounts/store/credentials.ts';
import { boundAgentNames } from '../agents/admit-agent.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Secret } from '../secrets/secret-ports.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import type { RegisteredPipeline } from './pipeline-ports.ts';
import { signingProblem } from './webhook-secret.ts';

type ProblemDeps = {
  readonly endpoints: Endpoints;
  readonly agents: AgentDirectory;
  readonly knownAgents: KnownAgents;
  readonly credentials: Credentials;
  readonly secrets: Secrets;
};

/** The current problems of one pipeline. */
type ProblemsOf = (registered: RegisteredPipeline) => ValidationIssue[];

/** Reads what the pipelines of a workspace use, once for all pipelines. */
export async function pipelineProblems(
  deps: ProblemDeps,
  workspaceId: string,
  pipelines: readonly RegisteredPipeline[],
): Promise<ProblemsOf> {
  if (pipelines.length === 0) return () => [];
  const surroundings = await surroundingsOf(deps, workspaceId);
  const isSigned = pipelines.some(({ pipeline }) => managedSecretOf(pipeline.trigger.secret) !== undefined);
  const secrets = isSigned ? await deps.secrets.list(workspaceId) : [];
  return (registered) => problemsOf(registered, surroundings, secrets);
}

/** The agent of the file counts as existing, even before it is stored. */
function withOwnAgent(
  { agents = [], ...others }: StepSurroundings,
  { registeredBy }: RegisteredPipeline,
): StepSurroundings {
  return { ...others, agents: registeredBy === undefined ? agents : [...agents, registeredBy] };
}

function problemsOf(
  registered: RegisteredPipeline,
  surroundings: StepSurroundings,
  secrets: readonly Secret[],
): ValidationIssue[] {
  const name = managedSecretOf(registered.pipeline.trigger.secret);
  const problem = signingProblem(
    registered,
    secrets.find((secret) => secret.name === name),
  );
  return [
    ...(problem === undefined ? [] : [atValue(['trigger', 'secret'], problem)]),
    ...surroundingsIssues(registered.pipeline, withOwnAgent(surroundings, registered)),
  ];
}

/** The agent of endpoints that name none; it also means the only agent (decision 31, which agent runs an endpoint). */
const DEFAULT_AGENT = 'default';

/** All endpoints and agents of a workspace, which the steps of its pipelines may use. */
export async function surroundingsOf(
  deps: {
    readonly endpoints: Endpoints;
    readonly agents: AgentDirectory;
    readonly knownAgents: KnownAgents;
    readonly credentials: Credentials;
  },
  workspaceId: string,
): Promise<StepSurroundings> {
  const [registered, agents] = await Promise.all([
    deps.endpoints.list(workspaceId),
    agentNames(deps, workspaceId),
  ]);
  return { endpoints: new Map(registered.map(({ endpoint }) => [endpoint.slug, endpoint])), agents };
}

/** Agents that are or were connected, and names bound to tokens; an offline agent is not an error. */
export async function agentNames(
  deps: {
    readonly agents: AgentDirectory;
    readonly knownAgents: KnownAgents;
    readonly credentials: Credentials;
  },
  workspaceId: string,
): Promise<string[]> {
  const [known, bound] = await Promise.all([
    deps.knownAgents.ofWorkspace(workspaceId),
    boundAgentNames(deps, workspaceId),
  ]);
  // An agent that has just connected is stored a little later.
  const here = deps.agents.connected(workspaceId);
  return [
    ...new Set([DEFAULT_AGENT, HOSTED_AGENT, ...[...here, ...known].map(({ name }) => name), ...bound]),
  ];
}
