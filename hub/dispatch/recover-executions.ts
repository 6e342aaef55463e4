import type { CallInput } from '@svc/core/api/call-body';
import { rejectedBecause } from '@svc/core/execution/outcome';
import { HUB_LEASE_MS, onHubStart } from '@svc/core/execution/recovery';
import { DISPATCH_WAIT_MS, endedWaiting } from '@svc/core/execution/waiting';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import { isHosted } from '../agents/host-address.ts';
import { ExpiredHubs } from '../cluster/expired-hubs.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import {
  addressOf,
  type RunningExecution,
  type RunningExecutions,
} from '../executions/live/running-executions.ts';
import { restoreArgs } from '../executions/recorded-args.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Vault } from '../platform/world.ts';
import type { Spool } from '../spool/spool.ts';
import { endQueued, fireWaitLimit, type WaitLimit } from './end-queued.ts';
import { recordedDefinition } from './execution-order.ts';
import type { ExecutionQueue } from './queue.ts';
import type { ReconnectGracePeriods } from './reconnect-grace-periods.ts';
import { recordedEndpoint } from './restore-values.ts';

type RecoverDeps = {
  readonly ledger: ExecutionLedger;
  readonly hubs: Hubs;
  readonly clock: Clock;
  readonly endpoints: Endpoints;
  readonly agents: AgentDirectory;
  readonly hubId: string;
  readonly accounts: Accounts;
  readonly hosted: HostedRecords;
  readonly hosts: HostedHosts;
  readonly vault: Vault;
  readonly spool: Pick<Spool, 'open'>;
} & {
  readonly executions: RunningExecutions;
  readonly queue: ExecutionQueue;
  readonly gracePeriods: ReconnectGracePeriods;
};

/** Executions of other hubs that one heartbeat claims at most; the next heartbeat claims more. */
const MAX_CLAIMS = 500;

const RESTARTED = rejectedBecause(
  'hub_restart',
  'unavailable',
  'the hub was restarted before the execution was dispatched',
);

/**
 * Continues or ends what earlier processes of this hub, and hubs whose lease has expired, left unfinished (decision 24, states and
 * takeover).
 */
export class Recovery {
  readonly #deps: RecoverDeps;
  readonly #expiredHubs: ExpiredHubs;
  #heartbeatAtMs: number | undefined;
  #wasSilent = false;

  constructor(deps: RecoverDeps) {
    this.#deps = deps;
    this.#expiredHubs = new ExpiredHubs(deps);
  }

  /** Called before the first agent and the first call are admitted. */
  async start(): Promise<void> {
    const { ledger, hubId } = this.#deps;
    await this.heartbeat();
    await this.#recover(await ledger.unfinished(hubId));
    await this.takeOver();
  }

  /** Stores a heartbeat. After too long a silence, this hub claims back what others took over. */
  async heartbeat(): Promise<void> {
    const { hubs, clock, hubId } = this.#deps;
    const nowMs = clock.nowMs();
    await hubs.heartbeat(hubId, nowMs);
    this.#wasSilent ||= nowMs - (this.#heartbeatAtMs ?? nowMs) >= HUB_LEASE_MS;
    this.#heartbeatAtMs = nowMs;
    if (!this.#wasSilent) return;
    await this.#claimBack();
    this.#wasSilent = false;
  }

  /** Called when a heartbeat has failed. */
  restartLeases(): void {
    this.#expiredHubs.restartLeases();
  }

  /** Claims the executions of hubs whose lease has expired; to be called with every heartbeat. */
  async takeOver(): Promise<void> {
    const { ledger, hubs } = this.#deps;
    for (const gone of await this.#expiredHubs.among(await ledger.owners())) {
      await this.#recover(await this.#claimAll(gone));
      await hubs.forget(gone);
    }
  }

  /**
   * Claims executions that wait at a live hub for an agent that is connected here: an approver need not be at the hub of the
   * agent. To be called with every heartbeat.
   */
  async takeFromOthers(): Promise<void> {
    const { ledger, hubs, endpoints, agents, hubId, queue } = this.#deps;
    if ((await hubs.heartbeats()).size < 2) return;
    for (const execution of await ledger.queuedAtOtherHubs(hubId, MAX_CLAIMS)) {
      const target = await recordedEndpoint({ endpoints }, execution);
      if (target === undefined || agents.choose(target) === undefined) continue;
      if (isHosted(target) && !(await this.#hasHostedPlace(execution))) continue;
      if (await ledger.claimQueued(execution.id, execution.hubId, hubId))
        await queue.add({ ...execution, hubId }, waitLimitOf(execution) ?? sinceQueued(execution));
    }
  }

  /** An execution that waits for a slot would wait here as well, and hubs would pass it back and forth. */
  async #hasHostedPlace({ workspaceId, step }: Execution): Promise<boolean> {
    const { accounts, hosted, hosts } = this.#deps;
    const workspace = await accounts.workspaceById(workspaceId);
    const concurrent = (workspace && PLAN_LIMITS[workspace.plan].hosted?.concurrent) ?? 0;
    const pinned = step && (await hosted.hostOf(step.runId));
    return hosts.hasHost(pinned) && (await hosted.running(workspaceId)) < concurrent;
  }

  /** Each claim is a compare-and-set: one of two hubs gets the execution. */
  async #claimAll(from: string): Promise<Execution[]> {
    const { ledger, clock, hubId } = this.#deps;
    const claims = (await ledger.unfinished(from)).map(async (execution) => {
      const isClaimed = await untilAnswered(clock, () => ledger.claim(execution.id, from, hubId));
      return isClaimed ? [{ ...execution, hubId }] : [];
    });
    return (await Promise.all(claims)).flat();
  }

  /** The hub that an agent is connected to has the agent's executions: it receives their output. */
  async #claimBack(): Promise<void> {
    const { ledger, hubId, executions } = this.#deps;
    const own = new Set((await ledger.unfinished(hubId)).map(({ id }) => id));
    const taken = executions.all().filter(({ live }) => !own.has(live.id) && !live.isFinishing);
    for (const { live } of taken.filter((running) => this.#isAgentHere(running))) {
      const now = await ledger.find(live.id);
      if (now?.state !== 'running' && now?.state !== 'lost') continue;
      if (now.hubId !== hubId) await ledger.claim(live.id, now.hubId, hubId);
    }
  }

  #isAgentHere({ execution }: RunningExecution): boolean {
    const address = addressOf(execution);
    if (address === undefined) return false;
    const { name, instance } = address;
    const connected = this.#deps.agents.connected(address.workspaceId);
    return connected.some((process) => process.name === name && process.instance === instance);
  }

  async #recover(executions: readonly Execution[]): Promise<void> {
    await Promise.all(executions.map((execution) => this.#recoverOne(execution)));
  }

  async #recoverOne(execution: Execution): Promise<void> {
    switch (onHubStart(execution)) {
      case 'await_agent':
        return await this.#awaitAgent(execution);
      case 'await_dispatch':
        return await this.#deps.queue.add(execution, waitLimitOf(execution));
      case 'reject':
        return await this.#reject(execution);
      case 'leave':
        return;
    }
  }

  /** An agent that is connected already reconnects, and says whether it has the execution. */
  async #awaitAgent(execution: Execution): Promise<void> {
    const { executions, gracePeriods, agents } = this.#deps;
    executions.take(execution, await this.#definitionOf(execution), this.#inputOf(execution));
    const address = addressOf(execution);
    if (address === undefined) return;
    gracePeriods.begin(address);
    agents.askToMove(address);
  }

  /** A body in the spool is streamed from there, to where the agent has it already. */
  #inputOf(execution: Execution): CallInput | undefined {
    const { vault, spool } = this.#deps;
    const kept = execution.files === undefined ? undefined : restoreArgs(vault, execution)?.kept;
    return kept && spool.open(execution.id, kept);
  }

  #definitionOf(execution: Execution): Promise<string | undefined> {
    return untilAnswered(this.#deps.clock, () => recordedDefinition(this.#deps, execution));
  }

  async #reject(execution: Execution): Promise<void> {
    await untilAnswered(this.#deps.clock, () => endQueued(this.#deps, execution, RESTARTED));
  }
}

/** A claimed execution waits no longer than it would have at its first hub. */
function sinceQueued({ createdAtMs, queuedAtMs = createdAtMs }: Execution): WaitLimit {
  return { untilMs: queuedAtMs + DISPATCH_WAIT_MS, late: endedWaiting };
}

/** A fire keeps its time limit, unless a person has approved it. Undefined: the default limit of the queue. */
function waitLimitOf({ scheduledForMs, queuedAtMs }: Execution): WaitLimit | undefined {
  if (scheduledForMs === undefined || queuedAtMs !== undefined) return undefined;
  return fireWaitLimit(scheduledForMs, { wasHubUp: false });
}
