import { hash } from 'node:crypto';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { AgentToken } from '../accounts/account-ports.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Clock } from '../platform/world.ts';
import { type Admitted, boundAgentNames, nameRefusal } from './admit-agent.ts';
import type { OwnedInstance } from './agent-ports.ts';
import type { AgentCredential } from './directory-ports.ts';
import type { KnownAgents } from './store/agent-store.ts';

type BindDeps = {
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
  readonly clock: Clock;
};

/** The identity that the first frame of an agent claims. */
export interface Claimed {
  readonly agentName: string;
  readonly instance: string;
  readonly hostname: string;
  /** The instance that this one replaces because of a damaged journal. */
  readonly replaces?: string | undefined;
}

/** `instance` is the hub's id of the process. It differs from the agent's when another token owns that one. */
export type Bound =
  | { readonly kind: 'refused'; readonly message: string; readonly token: AgentToken | undefined }
  | {
      readonly kind: 'bound';
      readonly instance: string;
      readonly credential: AgentCredential;
      /** The hub's id of the replaced instance; undefined when another token owns it. */
      readonly replaces: string | undefined;
    };

/**
 * Binds a token to the agent name of its first hello, and a process to its first token (decision 58, agent
 * tokens). Neither ever changes: another name is refused, and another token makes another process.
 */
export async function bindToken(deps: BindDeps, admitted: Admitted, claimed: Claimed): Promise<Bound> {
  const { workspaceId, id: tokenId, hash: tokenHash } = admitted.token;
  const { agentName: name, hostname } = claimed;
  const replaces = await replacedOf(deps, admitted.token, claimed);
  const claim = (instance: string) => {
    const nowMs = deps.clock.nowMs();
    return deps.knownAgents.claim({ workspaceId, name, instance, tokenId, hostname, nowMs, replaces });
  };
  for (;;) {
    const token = await deps.credentials.agentTokenByHash(tokenHash);
    if (token === undefined) return { kind: 'refused', message: 'the agent token is gone', token };
    const isFirst = token.agentNames.length === 0;
    const taken = isFirst ? await boundAgentNames(deps, workspaceId) : [];
    const message = nameRefusal(token, name, taken);
    if (message !== undefined) return { kind: 'refused', message, token };
    const said = await claim(claimed.instance);
    const owned = said.tokenId === tokenId ? said : await claim(processOf(tokenId, claimed.instance));
    if (isFirst) {
      const to = { agentName: name, instance: owned.instance };
      const bound = await deps.credentials.bindAgentToken(token, to, boundEntry(deps, admitted, token, name));
      // Another hello was first, with this token or with another one for the same name.
      if (bound !== 'stored') continue;
    } else if (token.firstInstance === undefined) {
      await deps.credentials.noteFirstInstance(tokenId, owned.instance);
    } else {
      return boundTo(token, owned, replaces);
    }
    const now = await deps.credentials.agentTokenByHash(tokenHash);
    return boundTo(now ?? token, owned, replaces);
  }
}

function boundTo(token: AgentToken, owned: OwnedInstance, replaces: string | undefined): Bound {
  return { kind: 'bound', instance: owned.instance, credential: credentialOf(token, owned), replaces };
}

/**
 * The hub's id of the replaced instance; undefined when another token owns it. An instance that no token has claimed was last
 * connected before tokens were bound to processes.
 */
async function replacedOf(
  { knownAgents }: BindDeps,
  { workspaceId, id: tokenId }: Admitted['token'],
  { replaces }: Claimed,
): Promise<string | undefined> {
  if (replaces === undefined) return undefined;
  const owner = await knownAgents.tokenOf(workspaceId, replaces);
  if (owner === undefined || owner === tokenId) return replaces;
  const own = processOf(tokenId, replaces);
  return (await knownAgents.tokenOf(workspaceId, own)) === tokenId ? own : undefined;
}

/**
 * For a state folder that another token has used, the hub treats the process as a new one. It can thus neither report on the
 * executions of the other token nor resume them; those end as lost when their process stays away.
 */
function processOf(tokenId: string, instance: string): string {
  const hex = hash('sha256', `${tokenId} ${instance}`);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

function credentialOf(token: AgentToken, owned: OwnedInstance): AgentCredential {
  return {
    tokenId: token.id,
    madeAtMs: token.createdAtMs,
    isNamed: hasChosenNames(token),
    isKnown: isKnown(token, owned),
  };
}

/** Whether a member chose its agent names when it was made. */
export function hasChosenNames({ agentNames, boundAtMs }: AgentToken): boolean {
  return agentNames.length > 0 && boundAtMs === undefined;
}

/** Whether a process may have the secrets of its token. */
export function isKnown(
  { isPool, firstInstance }: AgentToken,
  owned: Pick<OwnedInstance, 'instance' | 'isKnown'>,
): boolean {
  return isPool || owned.isKnown || firstInstance === owned.instance;
}

function boundEntry(
  { clock }: { readonly clock: Clock },
  { address }: Admitted,
  { id, workspaceId, name }: AgentToken,
  agentName: string,
): AuditEntry {
  return {
    workspaceId,
    atMs: clock.nowMs(),
    action: 'agent_token.bound',
    actor: { kind: 'agent', id: undefined, name: agentName },
    from: { address, userAgent: undefined },
    target: { kind: 'agent_token', id, name },
    details: { agent_name: agentName },
  };
}

/** Records that a token used an agent name that it may not use; the token may be stolen. */
export function refusedEntry(
  { clock }: { readonly clock: Clock },
  { address }: Admitted,
  { id, workspaceId, name, agentNames }: AgentToken,
  { agentName, hostname }: Claimed,
): AuditEntry {
  return {
    workspaceId,
    atMs: clock.nowMs(),
    action: 'agent_token.name_refused',
    actor: { kind: 'agent', id: undefined, name: agentName },
    from: { address, userAgent: undefined },
    target: { kind: 'agent_token', id, name },
    details: { agent_name: agentName, agent_names: agentNames, hostname },
  };
}
