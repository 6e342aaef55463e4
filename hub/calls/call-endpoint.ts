import type { Approval } from '@svc/core/approval/approval';
import { bind } from '@svc/core/endpoint/bind';
import { hostedTimeoutSec } from '@svc/core/plan/hosted';
import { refuse } from '@svc/core/refusal';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import { isHosted } from '../agents/host-address.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import { type HoldForApprovalPorts, holdForApproval } from '../approvals/hold.ts';
import { callHere } from '../dispatch/call-here.ts';
import { type CallHostedPorts, callHosted } from '../dispatch/call-hosted.ts';
import { callRemotely, unlessAmbiguous } from '../dispatch/call-remotely.ts';
import type { CalledRemotely, RemoteCall } from '../dispatch/remote-call.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import type {
  Execution,
  ExecutionLedger,
  IdempotencyClaim,
  NewExecution,
} from '../executions/execution-ports.ts';
import { idempotencyOf, isSameRequest } from '../executions/idempotency.ts';
import type { Running } from '../executions/live/running-executions.ts';
import { newExecution, WITHOUT_AGENT } from '../executions/new-execution.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import { hostedLimits } from '../hosted/hosted-plan.ts';
import { hostedSecrets } from '../hosted/hosted-secrets.ts';
import { commandSecrets, useOf } from '../secret-grants/order-secrets.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';

/** What a call came to: it runs, it waits for a person, or it is the second of two equal ones and the first has ended. */
export type Called =
  | { readonly kind: 'running'; readonly running: Running }
  /** It waits for a place on the hosted runner, and nobody for its answer. */
  | { readonly kind: 'queued'; readonly execution: NewExecution }
  /** Another hub has its agent: it runs there, or has ended already. */
  | Extract<CalledRemotely, { kind: 'elsewhere' }>
  | { readonly kind: 'held'; readonly approval: Approval; readonly isFirst: boolean }
  | { readonly kind: 'repeated'; readonly execution: Execution };

export type CallPorts = {
  readonly secrets: Secrets;
  readonly ledger: ExecutionLedger;
  readonly agents: AgentDirectory;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
} & HoldForApprovalPorts &
  CallHostedPorts & {
    /** Undefined where there are no other hubs to be asked. */
    readonly elsewhere: RemoteHubs | undefined;
  };

/**
 * Accepts a call and gives it to an agent: nothing runs before its record is stored (decision 14).
 *
 * `running` is stored before the frame leaves, so that a hub that dies between the two never dispatches twice (decision 24).
 */
export async function callEndpoint(ports: CallPorts, call: EndpointCall): Promise<Called> {
  const { endpoint } = call.target;
  if (isHosted(call.target)) return await callOnHost(ports, call);
  const opened = commandSecrets(ports, useOf(call.target));
  // Nothing is awaited where no secret is named: most calls are so.
  const secrets = opened instanceof Promise ? await opened : opened;
  // The agent binds the values again, to a command that the hub never sends; here only a caller's mistakes are found.
  bind(endpoint, call.values, secrets.values);
  const idempotency = idempotencyOf(ports.vault, call, ports.clock.nowMs());
  if (endpoint.approvalRequired) return held(ports, call, idempotency);
  const { elsewhere } = ports;
  const chosen = ports.agents.choose(call.target, secrets.mayHave);
  const process =
    chosen === undefined || elsewhere === undefined
      ? chosen
      : await unlessAmbiguous(elsewhere, call.target, chosen);
  const refusedHere = process && secrets.refusalFor(process);
  if (process === undefined || (refusedHere !== undefined && elsewhere !== undefined)) {
    const { refusalForName } = secrets;
    const { timeoutSec } = endpoint;
    return await elsewhereOrNowhere(ports, { call, timeoutSec, idempotency, refusalForName, refusedHere });
  }
  const called = await callHere(ports, call, { process, secrets, idempotency });
  if (called.kind === 'known') throw new Error('another execution has the id of a new one');
  return called.kind === 'repeated' ? await repeated(ports, call, called) : called;
}

/** On the hosted runner: with all secrets that are for it, as far as the plan goes. */
async function callOnHost(ports: CallPorts, call: EndpointCall): Promise<Called> {
  const { workspaceId, endpoint } = call.target;
  hostedLimits(call.workspace);
  const { program } = endpoint;
  const secrets = await hostedSecrets(ports, {
    workspaceId,
    program,
    version: call.target,
    user: call.target,
  });
  bind(endpoint, call.values, secrets);
  const idempotency = idempotencyOf(ports.vault, call, ports.clock.nowMs());
  if (endpoint.approvalRequired) return await held(ports, call, idempotency);
  if (!ports.hosts.hasHost()) {
    const timeoutSec = hostedTimeoutSec(call.workspace.plan, endpoint.timeoutSec);
    const refusalForName = () => undefined;
    return await elsewhereOrNowhere(ports, { call, timeoutSec, idempotency, refusalForName });
  }
  const called = await callHosted(ports, { call, secrets, idempotency });
  return called.kind === 'repeated' ? await repeated(ports, call, called) : called;
}

/** Nothing runs before somebody has approved it, whether an agent is there or not (reference 3.1). */
async function held(
  ports: CallPorts,
  call: EndpointCall,
  idempotency: IdempotencyClaim | undefined,
): Promise<Called> {
  const outcome = await holdForApproval(ports, call, idempotency);
  return outcome.kind === 'held' ? { ...outcome, isFirst: true } : repeated(ports, call, outcome);
}

async function elsewhereOrNowhere(ports: CallPorts, asked: RemoteCall): Promise<Called> {
  const { elsewhere } = ports;
  const called = elsewhere && (await callRemotely({ ...ports, elsewhere }, asked));
  if (called === undefined) {
    if (asked.refusedHere !== undefined) throw asked.refusedHere;
    // It may have come here.
    if (await elsewhere?.moving.comes(asked.call.target)) return await callEndpoint(ports, asked.call);
    return await withoutAgent(ports, asked.call, asked.idempotency);
  }
  return called.kind === 'repeated' ? await repeated(ports, asked.call, called) : called;
}

/** Nobody is there to run it: that is on record too, takes no quota, and a second try may find an agent (decision 23). */
async function withoutAgent(
  ports: CallPorts,
  call: EndpointCall,
  idempotency: IdempotencyClaim | undefined,
): Promise<Called> {
  const earlier = idempotency && (await ports.ledger.idempotent(idempotency, ports.clock.nowMs()));
  if (earlier !== undefined) return repeated(ports, call, earlier);
  const execution = newExecution(ports, call, WITHOUT_AGENT);
  await ports.ledger.accept(execution);
  throw refuse('agent_offline', offlineMessage(call.target), { execution_id: execution.id });
}

function offlineMessage({ endpoint, registeredBy, ...target }: RegisteredEndpoint): string {
  const { slug, agentName } = endpoint;
  if (isHosted({ ...target, endpoint })) return `no hosted runner is connected that could run "${slug}"`;
  const which = agentName ?? registeredBy ?? 'default';
  return `no agent is connected that could run "${slug}" (agent "${which}")`;
}

async function repeated(
  ports: CallPorts,
  call: EndpointCall,
  first: { readonly executionId: string; readonly requestHash: string },
): Promise<Called> {
  const details = { execution_id: first.executionId };
  if (!isSameRequest(ports.vault, call, first.requestHash))
    throw refuse('idempotency_mismatch', 'this Idempotency-Key came with another request before', details);
  const execution = await ports.ledger.find(first.executionId);
  if (execution === undefined)
    throw refuse('unavailable', 'the record of the first request is gone', details);
  const approval =
    execution.state === 'pending_approval' ? await ports.approvals.ofExecution(execution.id) : undefined;
  if (approval !== undefined) return { kind: 'held', approval, isFirst: false };
  if (execution.endedAtMs === undefined)
    throw refuse(
      'idempotency_in_progress',
      'the first request with this Idempotency-Key has not ended',
      details,
    );
  return { kind: 'repeated', execution };
}
