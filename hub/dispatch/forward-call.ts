import { refuse } from '@svc/core/refusal';
import { isHosted } from '../agents/host-address.ts';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { newExecution, WITHOUT_AGENT } from '../executions/new-execution.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { CalledRemotely, RemoteCall } from './remote-call.ts';
import { sealCall } from './sealed-call.ts';

export type ForwardPorts = {
  readonly random: Random;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly hubId: string;
} & {
  readonly ledger: Pick<ExecutionLedger, 'accept' | 'find'>;
  readonly elsewhere: Pick<RemoteHubs, 'call'>;
  readonly reportBug: (error: unknown) => unknown;
};

/**
 * Gives a call to a hub that has its agent, before anything of it is on record: that hub puts it there, once, as a call of its
 * own. Undefined: it did not, and never will; the call has to be put on record here before anybody is asked.
 */
export async function forwardCall(
  ports: ForwardPorts,
  { call, idempotency }: Pick<RemoteCall, 'call' | 'idempotency'>,
  hubId: string,
): Promise<CalledRemotely | undefined> {
  // Those of the hosted runner wait in a line.
  if (isHosted(call.target)) return undefined;
  const executionId = ports.random.uuid();
  const frame = sealCall(ports, { call, idempotency, executionId, hubId });
  if (frame === undefined) return undefined;
  const outcome = await ports.elsewhere.call(hubId, frame, !call.asynchronous);
  switch (outcome.as) {
    case 'running':
      return {
        kind: 'elsewhere',
        execution: { id: executionId, state: 'running', hubId },
        feed: outcome.feed,
      };
    case 'repeated':
      return { kind: 'repeated', ...outcome };
    case 'refused':
      throw refuse(outcome.code, outcome.message, outcome.details);
    case 'unanswered':
      return await withdraw(ports, call, executionId);
    case 'unheard':
    case 'left':
      return undefined;
  }
}

/** It may have been taken all the same. There is one row of its id: if it can be this one, it was not, and never will be. */
async function withdraw(
  ports: ForwardPorts,
  call: EndpointCall,
  executionId: string,
): Promise<CalledRemotely> {
  const { ledger, clock, hubId, reportBug } = ports;
  const withdrawn = newExecution(ports, call, WITHOUT_AGENT, executionId);
  const isWithdrawn = await ledger.accept(withdrawn).then(
    () => true,
    () => false,
  );
  if (!isWithdrawn) untilAnswered(clock, () => ledger.accept(withdrawn)).catch(reportBug);
  const found = await ledger.find(executionId).catch(() => undefined);
  const details = { execution_id: executionId };
  if (found === undefined)
    throw refuse(
      'unavailable',
      'neither the hub that has the agent nor the store says whether it runs',
      details,
    );
  if (found.hubId === hubId && found.state === 'rejected')
    throw refuse('agent_offline', 'the hub that has the agent did not answer', details);
  return { kind: 'elsewhere', execution: found, feed: undefined };
}
