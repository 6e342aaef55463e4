import { rejectedBecause } from '@svc/core/execution/outcome';
import { HUB_LEASE_MS, onHubStart } from '@svc/core/execution/recovery';
import { DISPATCH_WAIT_MS, endedWaiting } from '@svc/core/execution/waiting';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import type { Accounts } from '../accounts/account-ports.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import { isHosted } from '../agents/host-address.ts';
import { ExpiredHubs } from '../cluster/expired-hubs.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import type { Endpoints } from '../endpoints/endpoint-ports.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import { addressOf, type Running, type RunningExecutions } from '../executions/live/running-executions.ts';
import { recordedEndpoint } from '../executions/recorded-endpoint.ts';
import type { HostedHosts, HostedRecords } from '../hosted/hosted-ports.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock } from '../platform/world.ts';
import { endQueued } from './end-queued.ts';
import { recordedDefinition } from './execution-order.ts';
import { fireWaitLimit } from './fire-wait-limit.ts';
import type { ExecutionQueue, WaitLimit } from './queue.ts';
import type { ReconnectGracePeriods } from './reconnect-grace-periods.ts';

type RecoverPorts = {
  readonly ledger: ExecutionLedger;
  readonly hubs: Hubs;
  readonly clock: Clock;
  readonly endpoints: Endpoints;
  readonly agents: AgentDirectory;
  readonly hubId: string;
  readonly accounts: Accounts;
  readonly hosted: HostedRecords;
  readonly hosts: HostedHosts;
} & {
  readonly executions: RunningExecutions;
  readonly queue: ExecutionQueue;
  readonly absences: ReconnectGracePeriods;
};

/** Of what waits elsewhere; the rest is for the next beat. */
const TAKEN_AT_ONCE = 500;

const RESTARTED = rejectedBecause(
  'hub_restart',
  'unavailable',
  'the hub was started anew before it was dispatched',
);

/**
 * What earlier processes of this hub left unfinished, and what hubs that live no longer did: it goes on, or is told why not
 * (decision 24).
 */
export class Recovery {
  readonly #ports: RecoverPorts;
  readonly #lapsed: ExpiredHubs;
  #beatAtMs: number | undefined;
  #wasSilent = false;

  constructor(ports: RecoverPorts) {
    this.#ports = ports;
    this.#lapsed = new ExpiredHubs(ports);
  }

  /** To be done before the first agent and the first call are let in. */
  async start(): Promise<void> {
    const { ledger, hubId } = this.#ports;
    await this.beat();
    await this.#settle(await ledger.unfinished(hubId));
    await this.takeOver();
  }

  /** Says that this hub lives. Where it has not said so for too long, it claims back what others took as that of a dead one. */
  async beat(): Promise<void> {
    const { hubs, clock, hubId } = this.#ports;
    const nowMs = clock.nowMs();
    await hubs.beat(hubId, nowMs);
    this.#wasSilent ||= nowMs - (this.#beatAtMs ?? nowMs) >= HUB_LEASE_MS;
    this.#beatAtMs = nowMs;
    if (!this.#wasSilent) return;
    await this.#takeBack();
    this.#wasSilent = false;
  }

  /** To be done where a beat has failed. */
  lookAnew(): void {
    this.#lapsed.lookAnew();
  }

  /** Claims what hubs had that live no longer; to be done with every beat. */
  async takeOver(): Promise<void> {
    const { ledger, hubs } = this.#ports;
    for (const gone of await this.#lapsed.among(await ledger.owners())) {
      await this.#settle(await this.#claimAll(gone));
      await hubs.forget(gone);
    }
  }

  /**
   * Takes what waits at another hub, which lives, for an agent that is connected here: who approves need not be at the hub of
   * the agent. To be done with every beat.
   */
  async takeFromOthers(): Promise<void> {
    const { ledger, hubs, endpoints, agents, hubId, queue } = this.#ports;
    if ((await hubs.beats()).size < 2) return;
    for (const execution of await ledger.queuedElsewhere(hubId, TAKEN_AT_ONCE)) {
      const target = await recordedEndpoint({ endpoints }, execution);
      if (target === undefined || agents.choose(target) === undefined) continue;
      if (isHosted(target) && !(await this.#hasHostedPlace(execution))) continue;
      if (await ledger.claimQueued(execution.id, execution.hubId, hubId))
        await queue.add({ ...execution, hubId }, patienceOf(execution) ?? sinceQueued(execution));
    }
  }

  /** One that waits for a place waits as well where it is; else hubs would pass it to and fro. */
  async #hasHostedPlace({ workspaceId, step }: Execution): Promise<boolean> {
    const { accounts, hosted, hosts } = this.#ports;
    const workspace = await accounts.workspaceById(workspaceId);
    const concurrent = (workspace && PLAN_LIMITS[workspace.plan].hosted?.concurrent) ?? 0;
    const pinned = step && (await hosted.hostOf(step.runId));
    return hosts.hasHost(pinned) && (await hosted.running(workspaceId)) < concurrent;
  }

  /** Each one by compare-and-set: of two hubs that want it one gets it. */
  async #claimAll(from: string): Promise<Execution[]> {
    const { ledger, clock, hubId } = this.#ports;
    const claims = (await ledger.unfinished(from)).map(async (execution) => {
      const isClaimed = await untilAnswered(clock, () => ledger.claim(execution.id, from, hubId));
      return isClaimed ? [{ ...execution, hubId }] : [];
    });
    return (await Promise.all(claims)).flat();
  }

  /** Where an agent is connected, there is what it runs: the agent was here all the time, and sends its output here. */
  async #takeBack(): Promise<void> {
    const { ledger, hubId, executions } = this.#ports;
    const own = new Set((await ledger.unfinished(hubId)).map(({ id }) => id));
    const taken = executions.all().filter(({ live }) => !own.has(live.id) && !live.isFinishing);
    for (const { live } of taken.filter((running) => this.#hasItsAgent(running))) {
      const now = await ledger.find(live.id);
      if (now?.state !== 'running' && now?.state !== 'lost') continue;
      if (now.hubId !== hubId) await ledger.claim(live.id, now.hubId, hubId);
    }
  }

  #hasItsAgent({ execution }: Running): boolean {
    const address = addressOf(execution);
    if (address === undefined) return false;
    const { name, instance } = address;
    const connected = this.#ports.agents.connected(address.workspaceId);
    return connected.some((process) => process.name === name && process.instance === instance);
  }

  async #settle(executions: readonly Execution[]): Promise<void> {
    await Promise.all(executions.map((execution) => this.#settleOne(execution)));
  }

  async #settleOne(execution: Execution): Promise<void> {
    switch (onHubStart(execution)) {
      case 'await_agent':
        return await this.#awaitAgent(execution);
      case 'await_dispatch':
        return await this.#ports.queue.add(execution, patienceOf(execution));
      case 'reject':
        return await this.#reject(execution);
      case 'leave':
        return;
    }
  }

  /** One that is connected here already, but not because of this execution, says anew what it has of it. */
  async #awaitAgent(execution: Execution): Promise<void> {
    const { executions, absences, agents } = this.#ports;
    executions.take(execution, await this.#definitionOf(execution));
    const address = addressOf(execution);
    if (address === undefined) return;
    absences.begin(address);
    agents.askAgain(address);
  }

  #definitionOf(execution: Execution): Promise<string | undefined> {
    return untilAnswered(this.#ports.clock, () => recordedDefinition(this.#ports, execution));
  }

  async #reject(execution: Execution): Promise<void> {
    await untilAnswered(this.#ports.clock, () => endQueued(this.#ports, execution, RESTARTED));
  }
}

/** Whoever has it, it waits no longer than it would have at the first. */
function sinceQueued({ createdAtMs, queuedAtMs = createdAtMs }: Execution): WaitLimit {
  return { untilMs: queuedAtMs + DISPATCH_WAIT_MS, late: endedWaiting };
}

/** A fire keeps to its time, unless it was approved: then somebody wants it now. Undefined: as long as any other. */
function patienceOf({ scheduledForMs, queuedAtMs }: Execution): WaitLimit | undefined {
  if (scheduledForMs === undefined || queuedAtMs !== undefined) return undefined;
  return fireWaitLimit(scheduledForMs, { wasHubUp: false });
}
