import { rejectedBecause } from '@svc/core/execution/outcome';
import { type Refusal, refuse } from '@svc/core/refusal';
import { agentNameOf } from '../agents/candidates.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import { type AcceptDeps, acceptCall } from '../executions/accept-execution.ts';
import type { NewExecution } from '../executions/execution-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import { QUEUED } from '../executions/new-execution.ts';
import type { HubWithAgent } from '../executions/remote/remote-agents.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import type { Random, Vault } from '../platform/world.ts';
import { isAboutHolder } from '../secret-grants/secret-terms.ts';
import { type CheckedCall, executionOfCall } from './checked-call.ts';
import { endQueued } from './end-queued.ts';
import { type CalledRemotely, forwardCall } from './forward-call.ts';
import type { ExecutionQueue } from './queue.ts';

export type CallRemoteDeps = AcceptDeps & {
  readonly random: Random;
  readonly vault: Vault;
  readonly hubId: string;
  readonly remoteHubs: RemoteHubs;
  readonly queue: ExecutionQueue;
  readonly executions: RunningExecutions;
};

/** Why a queued call of a remote hub is not begun. */
interface NotBegun {
  readonly reason: 'agent_offline' | 'refused';
  readonly code: 'agent_offline' | 'concurrency_limited';
  readonly message: string;
}

const AGENT_OFFLINE = { reason: 'agent_offline', code: 'agent_offline' } as const;
const GONE: NotBegun = {
  ...AGENT_OFFLINE,
  message: 'the agent went offline before it received the execution',
};
const UNANSWERED: NotBegun = { ...AGENT_OFFLINE, message: 'the hub that has the agent did not answer' };
const BUSY: NotBegun = {
  ...{ reason: 'refused', code: 'concurrency_limited' },
  message: 'as many of its endpoint run as may, at the hub that has its agent',
};

/**
 * The chosen process; undefined when a remote hub has other processes for an endpoint that takes any (decision 31, which agent runs
 * an endpoint).
 */
export async function unlessAmbiguous(
  { agents }: RemoteHubs,
  target: RegisteredEndpoint,
  chosen: AgentProcess,
): Promise<AgentProcess | undefined> {
  if (chosen.name === agentNameOf(target)) return chosen;
  return (await agents.hasOtherThan(chosen.name, target.workspaceId)) ? undefined : chosen;
}

/**
 * Gives a call to a remote hub that has its agent. Undefined when no hub has one: then nothing is stored.
 *
 * A call that cannot be forwarded is stored as queued by this hub, and remote hubs are asked to claim it. It belongs to this hub
 * until another hub begins it by compare-and-set. If either hub dies, or a message is lost, the call runs once or never, and its
 * end is stored.
 */
export async function callRemotely(
  deps: CallRemoteDeps,
  call: CheckedCall,
): Promise<CalledRemotely | undefined> {
  const forwarded = await forwardInTurn(deps, call);
  if (forwarded === undefined || forwarded.kind !== 'left') return forwarded;
  const execution = executionOfCall(deps, call, QUEUED);
  const accepted = await acceptCall(deps, call, execution, call.idempotency);
  return accepted.kind === 'repeated' ? accepted : await claimInTurn(deps, call, execution, forwarded.first);
}

/** `left`: the hub was asked and has not accepted the call. */
type Forwarded = CalledRemotely | { readonly kind: 'left'; readonly first: HubWithAgent };

/**
 * Forwards the call to a hub that has its agent. When the agent process there may not have the secrets, the next hub is asked:
 * the process that may have them is perhaps connected to that hub.
 */
async function forwardInTurn(deps: CallRemoteDeps, call: CheckedCall): Promise<Forwarded | undefined> {
  const tried = new Set<string>();
  let refused: Refusal | undefined;
  for (;;) {
    const hub = await deps.remoteHubs.agents.choose(call.target, tried);
    if (hub === undefined && refused !== undefined) throw refused;
    if (hub === undefined) return undefined;
    const refusal = call.secrets.refusalForName(hub.agentName);
    if (refusal !== undefined) throw refusal;
    try {
      const forwarded = await forwardCall(deps, call, hub.hubId);
      if (forwarded === undefined) return { kind: 'left', first: hub };
      return forwarded.kind === 'remote' ? { ...forwarded, willBeRefused: hub.willRefuse } : forwarded;
    } catch (error) {
      if (!isAboutHolder(error)) throw error;
      refused = error;
      tried.add(hub.hubId);
    }
  }
}

/** Asks each hub that has an agent, and starts again while an agent is moving from hub to hub. */
async function claimInTurn(
  deps: CallRemoteDeps,
  call: CheckedCall,
  execution: NewExecution,
  first: HubWithAgent,
): Promise<CalledRemotely> {
  const { agents, moving } = deps.remoteHubs;
  for (let next: HubWithAgent | undefined = first; ; ) {
    const called = next && (await askHubs(deps, call, execution, next));
    if (called !== undefined) return called;
    // The agent may have moved to this hub.
    if ((await deps.queue.claim(execution)) !== 'no_agent')
      return { kind: 'remote', execution, feed: undefined };
    if (!(await moving.comes(call.target))) return await endUnlessBegun(deps, execution, GONE);
    next = await agents.choose(call.target, new Set());
  }
}

/** Undefined when no hub has an agent for the execution any more. */
async function askHubs(
  deps: CallRemoteDeps,
  call: CheckedCall,
  execution: NewExecution,
  first: HubWithAgent,
): Promise<CalledRemotely | undefined> {
  const { agents } = deps.remoteHubs;
  const tried = new Set<string>();
  for (let hub: HubWithAgent | undefined = first; hub !== undefined; ) {
    const outcome = await deps.remoteHubs.take(hub.hubId, execution.id, !call.asynchronous);
    switch (outcome.kind) {
      case 'begun':
      case 'waits':
        return { kind: 'remote', execution, feed: outcome.feed };
      case 'not_queued':
        return { kind: 'remote', execution, feed: undefined };
      case 'busy':
        return await endUnlessBegun(deps, execution, BUSY);
      case 'unanswered':
        return await endUnlessBegun(deps, execution, UNANSWERED);
      case 'no_agent':
      case 'unreceived':
        tried.add(hub.hubId);
        // The cached agents of this hub are out of date.
        agents.forget([call.target.workspaceId]);
        agents.forgetHosts();
        hub = await agents.choose(call.target, tried);
    }
  }
  return undefined;
}

/** Refuses an execution that no hub has begun. One that has begun has its end stored as any other. */
async function endUnlessBegun(
  deps: CallRemoteDeps,
  execution: NewExecution,
  { reason, code, message }: NotBegun,
): Promise<CalledRemotely> {
  if (!(await endQueued(deps, execution, rejectedBecause(reason, code, message))))
    return { kind: 'remote', execution, feed: undefined };
  throw refuse(code, message, { execution_id: execution.id });
}
