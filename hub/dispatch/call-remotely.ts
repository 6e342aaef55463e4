import { rejectedBecause } from '@svc/core/execution/outcome';
import { type Refusal, refuse } from '@svc/core/refusal';
import { agentNameOf } from '../agents/candidates.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import { acceptCall } from '../executions/accept-call.ts';
import type { AcceptPorts } from '../executions/accept-execution.ts';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import type { NewExecution } from '../executions/execution-ports.ts';
import { quotaOf, type RunningExecutions } from '../executions/live/running-executions.ts';
import { newExecution, QUEUED } from '../executions/new-execution.ts';
import type { HubWithAgent } from '../executions/remote/remote-agents.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import type { Random, Vault } from '../platform/world.ts';
import { isAboutHolder } from '../secret-grants/secret-terms.ts';
import { forwardCall } from './forward-call.ts';
import type { ExecutionQueue } from './queue.ts';
import type { CalledRemotely, RemoteCall } from './remote-call.ts';

export type CallRemotePorts = {
  readonly random: Random;
  readonly vault: Vault;
  readonly hubId: string;
} & AcceptPorts & {
    readonly elsewhere: RemoteHubs;
    readonly queue: ExecutionQueue;
    readonly executions: RunningExecutions;
  };

/** Why one that waits is not begun. */
interface Unbegun {
  readonly reason: 'agent_offline' | 'refused';
  readonly code: 'agent_offline' | 'concurrency_limited';
  readonly message: string;
}

const AGENT_OFFLINE = { reason: 'agent_offline', code: 'agent_offline' } as const;
const GONE: Unbegun = { ...AGENT_OFFLINE, message: 'the agent went offline before it could be told' };
const UNANSWERED: Unbegun = { ...AGENT_OFFLINE, message: 'the hub that has the agent did not answer' };
const BUSY: Unbegun = {
  ...{ reason: 'refused', code: 'concurrency_limited' },
  message: 'as many of its endpoint run as may, at the hub that has its agent',
};

/** The chosen one; undefined when it was meant as the only one, and is not: another hub has others (decision 31). */
export async function unlessAmbiguous(
  { agents }: RemoteHubs,
  target: RegisteredEndpoint,
  chosen: AgentProcess,
): Promise<AgentProcess | undefined> {
  if (chosen.name === agentNameOf(target)) return chosen;
  return (await agents.hasOtherThan(chosen.name, target.workspaceId)) ? undefined : chosen;
}

/**
 * Gives a call to a hub that has its agent; undefined when none has, and nothing is on record.
 *
 * One that cannot be handed over is put on record as queued, and others are asked to begin it. It is this hub's until another
 * has begun it by compare-and-set: whichever of the two dies, and whatever is lost between them, it is begun once or never, and
 * its end is on record.
 */
export async function callRemotely(
  ports: CallRemotePorts,
  elsewhereCall: RemoteCall,
): Promise<CalledRemotely | undefined> {
  const { call, timeoutSec, idempotency } = elsewhereCall;
  const handed = await handOverInTurn(ports, elsewhereCall);
  if (handed === undefined || handed.kind !== 'left') return handed;
  const { first } = handed;
  const execution = { ...newExecution(ports, call, QUEUED), timeoutSec };
  const accepted = await acceptCall(ports, call, execution, idempotency);
  return accepted.kind === 'repeated' ? accepted : await askInTurn(ports, call, execution, first);
}

/** `left`: the hub was asked and has not taken it. */
type HandedOver = CalledRemotely | { readonly kind: 'left'; readonly first: HubWithAgent };

/**
 * Gives the call to a hub that has its agent, and to the next one while the agent process there may not have its secrets: the
 * process that may is perhaps connected to another hub.
 */
async function handOverInTurn(
  ports: CallRemotePorts,
  elsewhereCall: RemoteCall,
): Promise<HandedOver | undefined> {
  const { call, refusalForName } = elsewhereCall;
  const asked = new Set<string>();
  let refused: Refusal | undefined;
  for (;;) {
    const hub = await ports.elsewhere.agents.choose(call.target, asked);
    if (hub === undefined && refused !== undefined) throw refused;
    if (hub === undefined) return undefined;
    const refusal = refusalForName(hub.agentName);
    if (refusal !== undefined) throw refusal;
    try {
      return (await forwardCall(ports, elsewhereCall, hub.hubId)) ?? { kind: 'left', first: hub };
    } catch (error) {
      if (!isAboutHolder(error)) throw error;
      refused = error;
      asked.add(hub.hubId);
    }
  }
}

/** Each hub that has an agent for it; again from the first, while one is on its way from hub to hub. */
async function askInTurn(
  ports: CallRemotePorts,
  call: EndpointCall,
  execution: NewExecution,
  first: HubWithAgent,
): Promise<CalledRemotely> {
  const { agents, moving } = ports.elsewhere;
  for (let next: HubWithAgent | undefined = first; ; ) {
    const called = next && (await askFrom(ports, call, execution, next));
    if (called !== undefined) return called;
    // It may have come here.
    if ((await ports.queue.giveNow(execution)) !== 'no_agent')
      return { kind: 'elsewhere', execution, feed: undefined };
    if (!(await moving.comes(call.target))) return await endUnlessBegun(ports, execution, GONE);
    next = await agents.choose(call.target, new Set());
  }
}

/** Undefined: none of them has an agent for it any more. */
async function askFrom(
  ports: CallRemotePorts,
  call: EndpointCall,
  execution: NewExecution,
  first: HubWithAgent,
): Promise<CalledRemotely | undefined> {
  const { agents } = ports.elsewhere;
  const asked = new Set<string>();
  for (let hub: HubWithAgent | undefined = first; hub !== undefined; ) {
    const outcome = await ports.elsewhere.take(hub.hubId, execution.id, !call.asynchronous);
    switch (outcome.kind) {
      case 'begun':
      case 'waits':
        return { kind: 'elsewhere', execution, feed: outcome.feed };
      case 'not_queued':
        return { kind: 'elsewhere', execution, feed: undefined };
      case 'busy':
        return await endUnlessBegun(ports, execution, BUSY);
      case 'unanswered':
        return await endUnlessBegun(ports, execution, UNANSWERED);
      case 'no_agent':
      case 'unheard':
        asked.add(hub.hubId);
        // What was known of them is wrong.
        agents.forget([call.target.workspaceId]);
        agents.forgetHosts();
        hub = await agents.choose(call.target, asked);
    }
  }
  return undefined;
}

/** One that was not begun is refused; what was has its end on record, as any other. */
async function endUnlessBegun(
  { ledger, clock, executions }: CallRemotePorts,
  execution: NewExecution,
  { reason, code, message }: Unbegun,
): Promise<CalledRemotely> {
  const ended = rejectedBecause(reason, code, message);
  const finish = { ...ended, executionId: execution.id, endedAtMs: clock.nowMs() };
  const alerts = await executions.alertsOf(execution, finish);
  if (!(await ledger.finishQueued({ ...finish, alerts }, quotaOf(execution))))
    return { kind: 'elsewhere', execution, feed: undefined };
  throw refuse(code, message, { execution_id: execution.id });
}
