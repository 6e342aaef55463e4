import { cancelledBeforeStart, lostBecause, rejectedBecause } from '@svc/core/execution/outcome';
import { onReturn } from '@svc/core/execution/recovery';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentAddress, AgentProcess } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { ArtifactInputDeps } from '../artifacts/artifact-input.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import {
  addressOf,
  type RunningExecution,
  type RunningExecutions,
  type Started,
} from '../executions/live/running-executions.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import type { Clock, Vault } from '../platform/world.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { executionOrder, isToBeConfirmed, recordedDefinition } from './execution-order.ts';
import { type RestoredValues, restoreValues } from './restore-values.ts';

type ReconcileDeps = {
  readonly ledger: ExecutionLedger;
  readonly endpoints: Endpoints;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly secrets: Secrets;
  readonly hubId: string;
  readonly accounts: Accounts;
  readonly hosted: HostedRecords;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
} & ArtifactInputDeps & {
    readonly executions: RunningExecutions;
  };

/** The hub's answer to a connecting agent: which executions in flight continue or end, and which run again. */
export interface Reconciliation {
  /** The agent sends what follows this sequence number. */
  readonly resume: readonly { readonly executionId: string; readonly storedSeq: number }[];
  /** Final, or not of this agent: the agent may forget them. */
  readonly unknown: readonly string[];
  readonly orders: readonly OrderAgain[];
}

interface OrderAgain {
  readonly order: ExecutionOrder;
  readonly isToBeConfirmed: boolean;
}

/**
 * Reconciles the executions of an agent process with those of the hub when the agent connects (decision 24, states and takeover).
 *
 * This does not end in `dispatch`: an execution that is sent again has begun and has its slot. Nothing is left to store, and its
 * order follows the welcome frame, so that the agent sees one whole answer.
 *
 * @param inFlight the executions in the agent's journal
 */
export async function reconcileAgent(
  deps: ReconcileDeps,
  process: AgentProcess,
  inFlight: readonly string[],
): Promise<Reconciliation> {
  await claimInFlight(deps, process, inFlight);
  const restored = await restoreMissing(deps, process, inFlight);
  // From here on nothing is awaited: no execution is dispatched to the agent between the decision and the welcome.
  const known = new Map(deps.executions.ofAgent(process).map((running) => [running.execution.id, running]));
  const resumed = inFlight.flatMap((id) => known.get(id) ?? []);
  const missing = [...known.values()].filter(({ execution }) => !inFlight.includes(execution.id));
  return {
    resume: resumed.map(({ live }) => ({ executionId: live.id, storedSeq: live.receivedSeq })),
    unknown: inFlight.filter((id) => !known.has(id)),
    orders: missing.flatMap((running) => reconcileMissing(deps, process, running, restored) ?? []),
  };
}

/** Claims executions that were given up as lost, or belong to another hub: the agent proves that it has them. */
async function claimInFlight(
  { ledger, endpoints, executions, hubId }: ReconcileDeps,
  process: AgentProcess,
  inFlight: readonly string[],
): Promise<void> {
  const unknown = inFlight.filter((id) => executions.find(id) === undefined);
  const found = await Promise.all(unknown.map((id) => ledger.find(id)));
  await Promise.all(
    found.map(async (execution) => {
      if (execution === undefined || !isOf(execution, process)) return;
      if (execution.state !== 'lost' && execution.state !== 'running') return;
      const definition = await recordedDefinition({ endpoints }, execution);
      if (await ledger.claim(execution.id, execution.hubId, hubId))
        executions.take({ ...execution, hubId }, definition);
    }),
  );
}

/** The state of an execution that the agent does not have. */
interface Missing {
  /** The values to dispatch it again. */
  readonly values: RestoredValues;
  /** Stored as running, and as this hub's. */
  readonly isOwn: boolean;
}

type Restored = ReadonlyMap<string, Missing>;

/** Reads each execution that the agent does not have, and those that begin meanwhile. */
async function restoreMissing(
  deps: ReconcileDeps,
  process: AgentProcess,
  inFlight: readonly string[],
): Promise<Restored> {
  const restored = new Map<string, Missing>();
  const lacking = () =>
    deps.executions
      .ofAgent(process)
      .filter(({ execution: { id } }) => !inFlight.includes(id) && !restored.has(id));
  for (let next = lacking(); next.length > 0; next = lacking())
    await Promise.all(
      next.map(async (running) => {
        const { execution } = running;
        const [values, now] = await Promise.all([
          restoreValues(deps, execution, process),
          deps.ledger.find(execution.id),
        ]);
        // Another hub may have stored the cancel request, and its message was lost.
        if (now?.cancelRequestedAtMs !== undefined) running.isCancelled = true;
        if (values.kind === 'values' && values.input !== undefined)
          deps.executions.provideInput(running, values.input);
        restored.set(execution.id, { values, isOwn: now?.state === 'running' && now.hubId === deps.hubId });
      }),
    );
  return restored;
}

function reconcileMissing(
  { clock }: ReconcileDeps,
  process: AgentProcess,
  running: RunningExecution,
  restored: Restored,
): OrderAgain | undefined {
  const { execution, live } = running;
  // Its end is being stored: the agent was right to forget it, or never had it.
  if (live.isFinishing) return undefined;
  const { values, isOwn } = restored.get(execution.id) ?? {};
  // The hub that lost the execution to this one is alive and has stored its end, so the agent has forgotten it. No other end can
  // be stored, and this hub forgets it too.
  if (isOwn === false) {
    live.finish(lostBecause('another hub has it'), clock.nowMs());
    return undefined;
  }
  const decided = onReturn({
    isInFlight: false,
    isSameBoot: execution.agentBoot === process.boot,
    isWanted: (execution.asynchronous || live.hasReaders) && values?.kind === 'values',
    isCancelled: running.isCancelled,
  });
  switch (decided) {
    case 'dispatch_again':
      if (values?.kind !== 'values') return undefined;
      return {
        order: executionOrder(execution, { ...values.values, input: running.input }, running.definition),
        isToBeConfirmed: isToBeConfirmed(execution),
      };
    case 'cancelled':
      live.finish(cancelledBeforeStart(), clock.nowMs(), 'refund');
      return undefined;
    case 'never_ran': {
      if (values?.kind === 'refused') {
        const { code, message } = values.refusal;
        live.finish(rejectedBecause('refused', code, message), clock.nowMs(), 'refund');
        return undefined;
      }
      const message =
        'it was on its way to the agent when the connection broke, and nobody waits for it any more';
      live.finish(rejectedBecause('hub_restart', 'unavailable', message), clock.nowMs(), 'refund');
      return undefined;
    }
    case 'lost':
      live.finish(
        lostBecause(
          'the agent reconnected without a journal that proves that the execution never began: its machine was restarted, or its journal was replaced',
        ),
        clock.nowMs(),
      );
      return undefined;
    case 'resume':
      throw new Error('an execution that is not in flight cannot be resumed');
  }
}

/** Whether an execution was dispatched to this process: an agent reports only its own executions. */
export function isOf(execution: Started, address: AgentAddress): boolean {
  const own = addressOf(execution);
  return (
    own !== undefined &&
    own.workspaceId === address.workspaceId &&
    own.name === address.name &&
    own.instance === address.instance
  );
}
