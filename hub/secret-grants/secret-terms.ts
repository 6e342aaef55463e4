import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { Refusal, refuse } from '@svc/core/refusal';
import {
  exposureDecision,
  type GrantDecision,
  grantReason,
  holderDecision,
  type SecretDecision,
  type SecretExposure,
  type SecretHolder,
  type SecretTerms,
} from '@svc/core/secret/grant';
import { mayUseSecret } from '@svc/core/secret/secret';
import type { AgentToken } from '../accounts/account-ports.ts';
import type { OwnedInstance } from '../agents/agent-ports.ts';
import { hasChosenNames, isKnown } from '../agents/bind-token.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint, Registering } from '../endpoints/endpoint-ports.ts';
import type { Secret } from '../secrets/secret-ports.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';

/** The fields of an endpoint that decide about access to secrets. */
export type SecretUser = Pick<RegisteredEndpoint, 'id' | 'endpoint' | 'exposure'>;

/** The fields of an agent process that decide about access to secrets. */
type Holding = Pick<AgentProcess, 'name' | 'instance' | 'credential'>;

/** A secret with the decisions about it. */
export function termsOf(
  { name, agents, grantedAtMs }: Secret,
  decisions: readonly SecretDecision[],
): SecretTerms {
  return { name, agents, grantedAtMs, decisions: decisions.filter(({ secret }) => secret === name) };
}

/** The current exposure by the file. An override from the API may have closed the endpoint again. */
export function openExposure({ endpoint, exposure }: SecretUser): SecretExposure | undefined {
  if (exposure === undefined) return undefined;
  const isScheduled = endpoint.schedule !== undefined;
  return Object.fromEntries(
    Object.entries(exposure).map(([name, since]) => [
      name,
      {
        ...(endpoint.public && since?.public !== undefined ? { public: since.public } : {}),
        ...(isScheduled && since?.schedule !== undefined ? { schedule: since.schedule } : {}),
      },
    ]),
  );
}

/** Why the endpoint may not use the secret, given to whom its file exposes it; undefined: it may. */
export function exposureRefusal(secret: SecretTerms, user: SecretUser): Refusal | undefined {
  const decision = exposureDecision(secret, user.id, openExposure(user));
  return decision.kind === 'granted' ? undefined : grantRefusal(decision, secret.name, user.endpoint.slug);
}

/** Why the agent process may not have the secret; undefined: it may. */
export function holderRefusal(secret: SecretTerms, process: Holding): Refusal | undefined {
  return senderRefusal(secret, process, process.name);
}

/**
 * Why an agent may not have the secret when it runs a command from another agent's file.
 *
 * @param runsOn the name of the agent that runs the command, or of the hosted runner
 */
function senderRefusal(secret: SecretTerms, process: Holding, runsOn: string): Refusal | undefined {
  const holder = holderOf(process);
  const decision: GrantDecision =
    holder === undefined ? hostDecision(secret, process) : holderDecision(secret, holder, runsOn);
  return decision.kind === 'granted' ? undefined : grantRefusal(decision, secret.name, process.name);
}

/** The operator owns the hosts of the hosted runner, so only the agent names chosen by the secret's owner decide. */
function hostDecision({ agents }: SecretTerms, { name }: Holding): GrantDecision {
  return { kind: agents === undefined || agents.includes(name) ? 'granted' : 'foreign' };
}

function holderOf({ name, instance, credential }: Holding): SecretHolder | undefined {
  if (credential === undefined) return undefined;
  const { tokenId: id, madeAtMs, isNamed, isKnown } = credential;
  return { agentName: name, instance, token: { id, madeAtMs, isNamed }, isKnown };
}

/** The terms of a process that is loaded from the store; undefined when its token no longer exists. */
export function storedHolder(
  { tokenId, instance }: Registering,
  tokens: readonly AgentToken[],
  owned: readonly OwnedInstance[],
): SecretHolder | undefined {
  const token = tokens.find(({ id }) => id === tokenId);
  const process = owned.find((one) => one.instance === instance && one.tokenId === tokenId);
  if (token === undefined) return undefined;
  return {
    agentName: process?.agentName ?? token.agentNames[0] ?? '',
    instance,
    token: { id: token.id, madeAtMs: token.createdAtMs, isNamed: hasChosenNames(token) },
    isKnown: isKnown(token, process ?? { instance, isKnown: false }),
  };
}

/** Why a command from a file may not use the secret on the hosted runner; undefined: it may. */
export function registrantRefusal(
  secret: SecretTerms,
  holder: SecretHolder | undefined,
): Refusal | undefined {
  const decision: GrantDecision =
    holder === undefined ? { kind: 'waiting', about: 'agent' } : holderDecision(secret, holder, HOSTED_AGENT);
  if (decision.kind === 'granted') return undefined;
  const name = decision.kind === 'foreign' ? HOSTED_AGENT : (holder?.agentName ?? 'the agent of its file');
  return grantRefusal(decision, secret.name, name);
}

/** @param who the name of an agent or of an endpoint */
export function grantRefusal(
  decision: Exclude<GrantDecision, { kind: 'granted' }>,
  secret: string,
  who: string,
): Refusal {
  if (decision.kind === 'foreign')
    return refuse('secret_not_allowed', `the secret "${secret}" is not for the agent "${who}"`, {
      secret,
      agent: who,
    });
  const { kind, about } = decision;
  const subject = about === 'agent' || about === 'process' ? { agent: who } : { endpoint: who };
  return refuse('secret_not_allowed', grantReason(decision, secret, who), {
    ...{ secret, ...subject },
    ...{ about, state: kind },
  });
}

/** Whether the token or the process caused the refusal. Another process with the same agent name may be allowed. */
export function isAboutHolder(error: unknown): error is Refusal {
  if (!(error instanceof Refusal) || error.code !== 'secret_not_allowed') return false;
  const { about } = error.details;
  return about === 'agent' || about === 'process';
}

/** Whether the refusal says that the process is not bound to its token. The bound one may be connected to another hub. */
export function isAboutProcess(refusal: Refusal | undefined): boolean {
  return isAboutHolder(refusal) && refusal.details.about === 'process';
}

/**
 * Warnings for an agent about the secrets of its commands: a secret is not set, or belongs to other agents. Calls of these
 * endpoints are refused until that changes (decision 13, managed secrets).
 */
export async function secretWarnings(
  { secrets }: { readonly secrets: Secrets },
  agent: Registrant,
  registered: readonly RegisteredEndpoint[],
): Promise<string[]> {
  if (registered.every(({ endpoint }) => endpoint.program.secrets.length === 0)) return [];
  const [list, decisions] = await Promise.all([
    secrets.list(agent.workspaceId),
    secrets.decisions(agent.workspaceId),
  ]);
  const all = new Map(list.map((secret) => [secret.name, termsOf(secret, decisions)]));
  return registered.flatMap((user) =>
    user.endpoint.program.secrets.flatMap((name) => {
      const { slug } = user.endpoint;
      const secret = all.get(name);
      if (secret === undefined) return [`"${slug}" names the secret "${name}", which is not set`];
      return refusalsOf(secret, user, agent);
    }),
  );
}

type Registrant = Omit<AgentProcess, 'running'>;

/** The warnings by agent name, by token and process, and by exposure of the file. */
function refusalsOf(secret: SecretTerms, user: RegisteredEndpoint, agent: Registrant): string[] {
  const { slug, agentName = agent.name } = user.endpoint;
  if (!mayUseSecret(secret.agents, agentName))
    return [`"${slug}" names the secret "${secret.name}", which is not for the agent "${agentName}"`];
  // An agent with another name runs only commands of its own file; on the hosted runner this file counts.
  const isSent = agentName === agent.name || agentName === HOSTED_AGENT;
  const refusals = [
    isSent ? senderRefusal(secret, agent, agentName) : undefined,
    exposureRefusal(secret, user),
  ];
  return refusals.flatMap((refusal) => (refusal === undefined ? [] : [`"${slug}" ${refusal.message}`]));
}
