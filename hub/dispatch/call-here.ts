import type { AgentProcess } from '../agents/directory-ports.ts';
import { type AcceptPorts, acceptCall } from '../executions/accept-execution.ts';
import type { Acceptance } from '../executions/execution-ports.ts';
import type { Running } from '../executions/live/running-executions.ts';
import { startOn } from '../executions/new-execution.ts';
import type { Random, Vault } from '../platform/world.ts';
import { type CheckedCall, executionOf, refuseWithoutRoom } from './checked-call.ts';
import { type Beginning, type DispatchDeps, dispatch } from './dispatch.ts';
import { sentDefinition } from './execution-order.ts';

export type CallHerePorts = DispatchDeps &
  AcceptPorts & { readonly random: Random; readonly vault: Vault; readonly hubId: string };

type Repeated = Extract<Acceptance, { kind: 'repeated' }>;
/** An execution with this id was stored before: whoever stored it reports its end. */
type Known = { readonly kind: 'known' };

export type CalledHere = { readonly kind: 'running'; readonly running: Running } | Known | Repeated;

/**
 * Stores a call as running and dispatches it to an agent that is connected to this hub.
 *
 * @param executionId of a call that another hub has forwarded
 * @throws `secret_not_allowed`, `concurrency_limited`, `quota_exceeded`, `unavailable`
 */
export async function callHere(
  deps: CallHerePorts,
  call: CheckedCall,
  process: AgentProcess,
  executionId?: string,
): Promise<CalledHere> {
  const refusal = call.secrets.refusalFor(process);
  if (refusal !== undefined) throw refusal;
  refuseWithoutRoom(deps.executions, call.target);
  const begin = () => accept(deps, call, process, executionId);
  return await dispatch(deps, { process, endpointId: call.target.id }, begin);
}

async function accept(
  deps: CallHerePorts,
  call: CheckedCall,
  process: AgentProcess,
  executionId: string | undefined,
): Promise<Beginning<Known | Repeated>> {
  const execution = executionOf(deps, call, startOn(process), executionId);
  const accepted = await acceptCall(deps, call, execution, call.idempotency);
  if (accepted.kind === 'repeated') return accepted;
  if (accepted.wasThere) return { kind: 'known' };
  const values = { args: Object.fromEntries(call.values), secrets: call.secrets.values };
  return { kind: 'begun', execution, values, definition: sentDefinition(call.target, process.name) };
}
