import type { TakenAs } from '@svc/core/bus/frame';
import { type Ended, rejectedBecause } from '@svc/core/execution/outcome';
import {
  DISPATCH_WAIT_MS,
  endedWaiting,
  HOSTED_WAIT_MS,
  type WaitingReason,
} from '@svc/core/execution/waiting';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import { isHosted } from '../agents/host-address.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { calledEndpoint } from '../executions/called-endpoint.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { quotaOf, type RunningExecutions, type Started } from '../executions/live/running-executions.ts';
import type { StateChanges } from '../executions/live/state-changes.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { HostedQueue } from '../hosted/hosted-queue.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Vault } from '../platform/world.ts';
import { mayHaveSecrets } from '../secret-grants/order-secrets.ts';
import { isAboutProcess } from '../secret-grants/secret-terms.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { giveToAgent } from './give-to-agent.ts';
import { hostedWaitingReason, queuedEntry } from './queued-entry.ts';
import { restoreValues } from './restore-values.ts';
import { type OrderValues, recordedDefinition } from './run-order.ts';

export type QueuePorts = {
  readonly ledger: ExecutionLedger;
  readonly clock: Clock;
  readonly endpoints: Endpoints;
  readonly agents: AgentDirectory;
  readonly vault: Vault;
  readonly secrets: Secrets;
  readonly hubId: string;
  readonly accounts: Accounts;
  readonly hosts: HostedHosts;
  readonly hosted: HostedRecords;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
} & {
  readonly line: HostedQueue;
  readonly reportBug: (error: unknown) => unknown;
  readonly executions: RunningExecutions;
  readonly changes: StateChanges;
  /** Tells other hubs that something waits for an agent, or a host, and none is here. */
  readonly onWaits?: ((workspaceId: string) => void) | undefined;
};

/** How long one waits, and how it ends when no agent has taken it by then. */
export interface WaitLimit {
  readonly untilMs: number;
  readonly late: (waitingReason: WaitingReason) => Ended;
}

interface Waiting {
  readonly execution: Started;
  readonly patience: WaitLimit;
  waitingReason: WaitingReason;
  /** Where it stands in line for the hosted runner. */
  inLine?: { readonly pinned: string | undefined; readonly leave: () => unknown };
}

interface Begun {
  readonly execution: Started;
  readonly definition: string | undefined;
}

/** What stands between an execution and its agent at this moment, or that nothing does. */
type Readiness =
  | { readonly kind: 'hindered'; readonly by: WaitingReason }
  | { readonly kind: 'refused'; readonly ended: Ended }
  | ({ readonly kind: 'ready' } & Ready);

interface Ready {
  readonly process: AgentProcess;
  readonly values: OrderValues;
}

const DELETED = rejectedBecause('stale', 'not_found', 'its endpoint was deleted before it was dispatched');

/**
 * Executions that are on record as `queued` and this hub's, with nobody on a connection for them: each is given to an agent
 * at once where one is there, else as soon as one comes (decision 24).
 *
 * It holds nothing that the store does not: after a restart, or at the hub that takes over, they are added again.
 */
export class ExecutionQueue {
  readonly #ports: QueuePorts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #isGiving = new Set<string>();

  constructor(ports: QueuePorts) {
    this.#ports = ports;
  }

  /** Settles when it has been given to an agent, or is known to wait. The same one again counts once. */
  async add(execution: Started, patience: WaitLimit = this.#usual()): Promise<void> {
    const { clock, executions, reportBug } = this.#ports;
    const { id } = execution;
    if (this.#waiting.has(id) || executions.find(id) !== undefined) return;
    const waiting: Waiting = { execution, patience, waitingReason: 'no_agent' };
    if (patience.untilMs <= clock.nowMs()) return this.#end(execution, patience.late(waiting.waitingReason));
    this.#waiting.set(id, waiting);
    clock.at(patience.untilMs, () => {
      if (this.#take(waiting)) this.#endLate(waiting).catch(reportBug);
    });
    await this.#try(waiting);
    if (this.#isForOthers(waiting)) this.#ports.onWaits?.(execution.workspaceId);
  }

  /**
   * One that another hub has put on record, and whose caller waits there: begun at once, in line for the hosted runner, or left
   * as it is.
   */
  async giveNow(execution: Started): Promise<TakenAs> {
    const { id } = execution;
    if (this.#isGiving.has(id) || this.#ports.executions.find(id) !== undefined) return 'not_queued';
    this.#isGiving.add(id);
    try {
      return await this.#giveNow(execution);
    } finally {
      this.#isGiving.delete(id);
    }
  }

  async #giveNow(execution: Started): Promise<TakenAs> {
    const { clock, reportBug } = this.#ports;
    const target = await calledEndpoint(this.#ports, execution);
    if (target === undefined) return 'no_agent';
    if (isHosted(target)) {
      const untilMs = clock.nowMs() + HOSTED_WAIT_MS;
      await this.add(execution, { untilMs, late: (by) => endedWaiting(by, HOSTED_WAIT_MS) });
      return 'waits';
    }
    const readiness = await this.#readiness(execution, target);
    if (readiness.kind === 'hindered') return readiness.by === 'busy' ? 'busy' : 'no_agent';
    if (readiness.kind === 'refused') {
      await this.#end(execution, readiness.ended);
      return 'not_queued';
    }
    if (!(await this.#give(execution, readiness))) return 'not_queued';
    // Whoever asked is not kept waiting by it.
    this.#cancelIfAsked(execution.id).catch(reportBug);
    return 'begun';
  }

  /** One that waits for room waits as well where it is; else hubs would pass it to and fro. */
  #isForOthers({ execution, waitingReason, inLine }: Waiting): boolean {
    if (!this.#waiting.has(execution.id)) return false;
    return inLine === undefined ? waitingReason === 'no_agent' : !this.#ports.hosts.hasHost(inLine.pinned);
  }

  /** To be called when an agent has connected: what waits for one in its workspace. */
  async agentCame(workspaceId: string): Promise<void> {
    await this.#tryThose(({ execution }) => execution.workspaceId === workspaceId);
  }

  /** To be called when an execution has ended: there may be room now for another of its endpoint. */
  async hasRoom(endpointId: string): Promise<void> {
    if (this.#waiting.size === 0) return;
    await this.#tryThose(
      ({ execution, waitingReason }) => waitingReason === 'busy' && execution.endpointId === endpointId,
    );
  }

  /** The one of its run may be away while others are here. */
  async #endLate({ execution, patience, waitingReason, inLine }: Waiting): Promise<void> {
    inLine?.leave();
    const by = inLine === undefined ? waitingReason : hostedWaitingReason(this.#ports.hosts, inLine.pinned);
    await this.#end(execution, patience.late(by));
  }

  /** For the hosted runner it waits in one line with calls that are on no record yet. */
  async #lineUp(waiting: Waiting, target: RegisteredEndpoint): Promise<void> {
    if (waiting.inLine !== undefined) return;
    const { execution } = waiting;
    waiting.inLine = { pinned: undefined, leave: () => undefined };
    const turn = await queuedEntry(this.#ports, {
      execution,
      target,
      take: () => this.#take(waiting),
      putBack: () => this.#putBack(waiting),
      end: (ended) => this.#end(execution, ended),
      tell: async (host, begun) => {
        giveToAgent(this.#ports, host, begun);
        await this.#cancelIfAsked(execution.id);
      },
    });
    if (turn === undefined || !this.#waiting.has(execution.id)) return;
    const leave = this.#ports.line.join(turn);
    waiting.inLine = { pinned: turn.instance, leave };
  }

  /** False when its time is over: then it has ended. */
  #putBack(waiting: Waiting): boolean {
    if (waiting.patience.untilMs > this.#ports.clock.nowMs()) {
      this.#waiting.set(waiting.execution.id, waiting);
      return true;
    }
    this.#endLate(waiting).catch(this.#ports.reportBug);
    return false;
  }

  /** NOTE: Thousands may wait, and thousands of agents come at once: each asks for its own alone. */
  async #tryThose(isMeant: (waiting: Waiting) => boolean): Promise<void> {
    await Promise.all([...this.#waiting.values()].filter(isMeant).map((waiting) => this.#try(waiting)));
  }

  #usual(): WaitLimit {
    return { untilMs: this.#ports.clock.nowMs() + DISPATCH_WAIT_MS, late: endedWaiting };
  }

  /** Whoever takes it out of those that wait is the only one to go on with it. */
  #take({ execution: { id } }: Waiting): boolean {
    return this.#waiting.delete(id);
  }

  async #try(waiting: Waiting): Promise<void> {
    const { execution } = waiting;
    const { clock } = this.#ports;
    const target = await untilAnswered(clock, () => calledEndpoint(this.#ports, execution));
    if (target === undefined) {
      if (this.#take(waiting)) await this.#end(execution, DELETED);
      return;
    }
    if (isHosted(target)) return this.#lineUp(waiting, target);
    const readiness = await this.#readiness(execution, target);
    if (readiness.kind === 'hindered') {
      waiting.waitingReason = readiness.by;
      return;
    }
    if (!this.#take(waiting)) return;
    if (readiness.kind === 'refused') return this.#end(execution, readiness.ended);
    if (await this.#give(execution, readiness)) await this.#cancelIfAsked(execution.id);
  }

  /** False when it is not queued any more. */
  async #give(execution: Started, { process, values }: Ready): Promise<boolean> {
    const { executions, agents } = this.#ports;
    const holds = [executions.hold(execution.endpointId), agents.hold(process)];
    try {
      const begun = await this.#begin(execution, process);
      // Nothing is awaited before its place is its own.
      if (begun !== undefined) giveToAgent(this.#ports, process, { ...begun, values });
      return begun !== undefined;
    } finally {
      for (const giveBack of holds) giveBack();
    }
  }

  async #readiness(execution: Started, target: RegisteredEndpoint): Promise<Readiness> {
    const { clock, agents, executions } = this.#ports;
    const chosen = agents.choose(
      target,
      await untilAnswered(clock, () => mayHaveSecrets(this.#ports, target)),
    );
    if (chosen === undefined) return { kind: 'hindered', by: 'no_agent' };
    const restored = await untilAnswered(clock, () => restoreValues(this.#ports, execution, chosen, target));
    if (restored.kind === 'gone') return { kind: 'hindered', by: 'values_gone' };
    if (restored.kind === 'refused') {
      // Another hub may have the process that may have the secrets.
      if (this.#ports.onWaits !== undefined && isAboutProcess(restored.refusal))
        return { kind: 'hindered', by: 'no_agent' };
      const { code, message } = restored.refusal;
      return { kind: 'refused', ended: rejectedBecause('refused', code, message) };
    }
    // From here on nothing is awaited: another may have come or gone while the values were read.
    const hasSecrets = Object.keys(restored.values.secrets).length > 0;
    const process = agents.choose(target, (one) => !hasSecrets || one === chosen);
    if (process?.name !== chosen.name) return { kind: 'hindered', by: 'no_agent' };
    // The secrets were opened for one process: any other process is checked again.
    if (hasSecrets && process !== chosen) return await this.#readiness(execution, target);
    const { maxConcurrent = Number.POSITIVE_INFINITY } = target.endpoint;
    if (executions.countOf(target.id) >= maxConcurrent) return { kind: 'hindered', by: 'busy' };
    return { kind: 'ready', process, values: restored.values };
  }

  /** `running` is stored before the frame leaves: a hub that dies between the two never dispatches twice. */
  async #begin(execution: Started, process: AgentProcess): Promise<Begun | undefined> {
    const { ledger, clock, hubId } = this.#ports;
    const { name, instance, boot } = process;
    const definition = await untilAnswered(clock, () => recordedDefinition(this.#ports, execution));
    const to = { name, instance, boot, hubId, nowMs: clock.nowMs() };
    if (!(await untilAnswered(clock, () => ledger.begin(execution.id, to)))) return undefined;
    const begun = { ...execution, hubId, agentName: name, agentInstance: instance, agentBoot: boot };
    return { execution: begun, definition };
  }

  /** Somebody may have done so after it had begun and before it was known here. */
  async #cancelIfAsked(id: string): Promise<void> {
    const { ledger, clock, executions } = this.#ports;
    const now = await untilAnswered(clock, () => ledger.find(id));
    if (now?.cancelAskedAtMs !== undefined) executions.cancel(id);
  }

  async #end(execution: Started, ended: Ended): Promise<void> {
    const { ledger, clock, executions, changes } = this.#ports;
    const finish = { ...ended, executionId: execution.id, endedAtMs: clock.nowMs() };
    await untilAnswered(clock, async () => {
      const alerts = await executions.alertsOf(execution, finish);
      return await ledger.finishQueued({ ...finish, alerts }, quotaOf(execution));
    });
    changes.changed(execution.id);
  }
}
