import { refuse } from '@svc/core/refusal';
import { isHosted } from '../agents/host-address.ts';
import type { Acceptance, Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import { WITHOUT_AGENT } from '../executions/new-execution.ts';
import type { OpenFeed, RemoteHubs } from '../executions/remote/remote-hubs.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import { type CheckedCall, executionOfCall } from './checked-call.ts';
import { sealCall } from './sealed-call.ts';

/** A remote hub has the execution. `feed` has its output from the start; without a feed the caller follows the record. */
export type CalledRemotely =
  | {
      readonly kind: 'remote';
      readonly execution: Pick<Execution, 'id' | 'state' | 'hubId'>;
      readonly feed: OpenFeed | undefined;
      /** The agent runs only its own file, so it refuses this execution. */
      readonly willBeRefused?: boolean;
    }
  | Extract<Acceptance, { kind: 'repeated' }>;

export type ForwardDeps = {
  readonly random: Random;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly hubId: string;
} & {
  readonly ledger: Pick<ExecutionLedger, 'accept' | 'find'>;
  readonly remoteHubs: Pick<RemoteHubs, 'call'>;
  readonly reportBug: (error: unknown) => unknown;
};

/**
 * Forwards a call to a hub that has its agent, before anything is stored. That hub stores it once, and dispatches it as a call of
 * its own. Undefined: the hub did not accept the call and never will, so this hub stores it before it asks others.
 */
export async function forwardCall(
  deps: ForwardDeps,
  call: CheckedCall,
  hubId: string,
): Promise<CalledRemotely | undefined> {
  // Calls of the hosted runner wait in the queue of this hub.
  if (isHosted(call.target)) return undefined;
  const executionId = deps.random.uuid();
  const frame = sealCall(deps, call, { executionId, hubId });
  if (frame === undefined) return undefined;
  const outcome = await deps.remoteHubs.call(hubId, frame, !call.asynchronous);
  switch (outcome.as) {
    case 'running':
      return {
        kind: 'remote',
        execution: { id: executionId, state: 'running', hubId },
        feed: outcome.feed,
      };
    case 'repeated':
      return { kind: 'repeated', ...outcome };
    case 'refused':
      throw refuse(outcome.code, outcome.message, outcome.details);
    case 'unanswered':
      return await withdraw(deps, call, executionId);
    case 'unreceived':
    case 'left':
      return undefined;
  }
}

/** The other hub may have accepted the call. Its id has one row: if this hub's row is stored, no other row ever is. */
async function withdraw(deps: ForwardDeps, call: CheckedCall, executionId: string): Promise<CalledRemotely> {
  const { ledger, clock, hubId, reportBug } = deps;
  const withdrawn = executionOfCall(deps, call, WITHOUT_AGENT, executionId);
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
  return { kind: 'remote', execution: found, feed: undefined };
}
