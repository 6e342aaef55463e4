import { refuse } from '@svc/core/refusal';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import { acceptCall } from '../executions/accept-call.ts';
import type { AcceptPorts } from '../executions/accept-execution.ts';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import type { Acceptance, IdempotencyClaim } from '../executions/execution-ports.ts';
import type { Running, RunningExecutions } from '../executions/live/running-executions.ts';
import { newExecution, startOn } from '../executions/new-execution.ts';
import type { Random, Vault } from '../platform/world.ts';
import type { CommandSecrets } from '../secret-grants/order-secrets.ts';
import { giveToAgent } from './give-to-agent.ts';
import { sentDefinition } from './run-order.ts';

export type CallHerePorts = {
  readonly agents: AgentDirectory;
  readonly random: Random;
  readonly vault: Vault;
  readonly hubId: string;
} & AcceptPorts & { readonly executions: RunningExecutions };

/** What a call needs besides what its caller has said. */
interface Complement {
  readonly process: AgentProcess;
  readonly secrets: CommandSecrets;
  readonly idempotency: IdempotencyClaim | undefined;
  /** Of a call that another hub has given to this one. */
  readonly executionId?: string;
}

/** `known`: an execution with its id is on record already, and whoever has put it there knows what becomes of it. */
export type CalledHere =
  | { readonly kind: 'running'; readonly running: Running }
  | { readonly kind: 'known' }
  | Extract<Acceptance, { kind: 'repeated' }>;

/**
 * Puts a call on record and gives it to an agent that is connected to this hub.
 *
 * @throws `secret_not_allowed`, `concurrency_limited`, `quota_exceeded`, `unavailable`
 */
export async function callHere(
  ports: CallHerePorts,
  call: EndpointCall,
  complement: Complement,
): Promise<CalledHere> {
  const { process, secrets } = complement;
  const refusal = secrets.refusalFor(process);
  if (refusal !== undefined) throw refusal;
  refuseTooMany(ports.executions, call.target);
  const holds = [ports.executions.hold(call.target.id), ports.agents.hold(process)];
  try {
    return await accept(ports, call, complement);
  } finally {
    for (const giveBack of holds) giveBack();
  }
}

async function accept(
  ports: CallHerePorts,
  call: EndpointCall,
  { process, secrets, idempotency, executionId }: Complement,
): Promise<CalledHere> {
  const execution = newExecution(ports, call, startOn(process), executionId);
  const accepted = await acceptCall(ports, call, execution, idempotency);
  if (accepted.kind === 'repeated') return accepted;
  if (accepted.wasThere) return { kind: 'known' };
  const definition = sentDefinition(call.target, process.name);
  const values = { args: Object.fromEntries(call.values), secrets: secrets.values };
  return { kind: 'running', running: giveToAgent(ports, process, { execution, values, definition }) };
}

function refuseTooMany(executions: RunningExecutions, { id, endpoint }: RegisteredEndpoint): void {
  const { maxConcurrent, slug } = endpoint;
  if (maxConcurrent === undefined || executions.countOf(id) < maxConcurrent) return;
  const message = `"${slug}" runs ${maxConcurrent} at a time, and that many run now`;
  throw refuse('concurrency_limited', message, { limit: maxConcurrent });
}
