import type { TakenAs } from '@svc/core/bus/frame';
import { type Ended, rejectedBecause } from '@svc/core/execution/outcome';
import {
  DISPATCH_WAIT_MS,
  endedWaiting,
  HOSTED_WAIT_MS,
  type WaitingReason,
} from '@svc/core/execution/waiting';
import type { AgentProcess } from '../agents/directory-ports.ts';
import { isHosted } from '../agents/host-address.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Started } from '../executions/live/running-executions.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { EntryOutcome, HostedQueue } from '../hosted/hosted-queue.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import { type DispatchQueuedDeps, dispatchQueued, findPlace } from './dispatch-queued.ts';
import {
  type DispatchToHostDeps,
  dispatchToHost,
  hostedEntryTerms,
  hostedWaitingReason,
} from './dispatch-to-host.ts';
import { endQueued, type WaitLimit } from './end-queued.ts';
import { recordedEndpoint } from './restore-values.ts';

export type QueueDeps = Omit<DispatchQueuedDeps, 'hasOtherHubs'> &
  DispatchToHostDeps & {
    readonly ledger: ExecutionLedger;
    readonly hosts: HostedHosts;
    readonly hostedQueue: HostedQueue;
    readonly reportBug: (error: unknown) => unknown;
    /** Asks other hubs for an agent or a host that this hub does not have. Undefined where there is no other hub. */
    readonly onWaits?: ((workspaceId: string) => void) | undefined;
  };

interface Waiting {
  readonly execution: Started;
  readonly limit: WaitLimit;
  waitingReason: WaitingReason;
  /** Its entry in the hosted queue. */
  hostedEntry?: { readonly pinned: string | undefined; readonly leave: () => unknown };
}

const DELETED = rejectedBecause('stale', 'not_found', 'its endpoint was deleted before it was dispatched');

/**
 * The queued executions of this hub, each with the reason why it waits. An execution is dispatched at once where an agent is
 * connected, else when one connects (decision 24, states and takeover).
 *
 * The queue holds nothing that the store does not: after a restart, or a takeover by another hub, executions are added again.
 */
export class ExecutionQueue {
  readonly #deps: QueueDeps & DispatchQueuedDeps;
  readonly #waiting = new Map<string, Waiting>();
  readonly #isClaiming = new Set<string>();

  constructor(ports: QueueDeps) {
    this.#deps = { ...ports, hasOtherHubs: ports.onWaits !== undefined };
  }

  /** Settles when the execution is dispatched, or its waiting reason is known. Adding it twice counts once. */
  async add(execution: Started, limit: WaitLimit = this.#defaultLimit()): Promise<void> {
    const { clock, executions, reportBug, onWaits } = this.#deps;
    const { id } = execution;
    if (this.#waiting.has(id) || executions.find(id) !== undefined) return;
    const waiting: Waiting = { execution, limit, waitingReason: 'no_agent' };
    if (limit.untilMs <= clock.nowMs()) return this.#end(execution, limit.late(waiting.waitingReason));
    this.#waiting.set(id, waiting);
    clock.at(limit.untilMs, () => {
      if (this.#take(waiting)) this.#endLate(waiting).catch(reportBug);
    });
    await this.#tryToDispatch(waiting);
    if (this.#isForOtherHubs(waiting)) onWaits?.(execution.workspaceId);
  }

  /** Dispatches an execution that another hub has stored, and whose caller waits at that hub. */
  async claim(execution: Started): Promise<TakenAs> {
    const { id } = execution;
    if (this.#isClaiming.has(id) || this.#deps.executions.find(id) !== undefined) return 'not_queued';
    this.#isClaiming.add(id);
    try {
      return await this.#claim(execution);
    } finally {
      this.#isClaiming.delete(id);
    }
  }

  /** Called when an agent has connected: dispatches the executions that wait for it in its workspace. */
  async agentConnected(workspaceId: string): Promise<void> {
    await this.#tryAll(({ execution }) => execution.workspaceId === workspaceId);
  }

  /** Called when an execution has ended: its endpoint may have a free slot. */
  async slotReleased(endpointId: string): Promise<void> {
    if (this.#waiting.size === 0) return;
    await this.#tryAll(
      ({ execution, waitingReason }) => waitingReason === 'busy' && execution.endpointId === endpointId,
    );
  }

  async #claim(execution: Started): Promise<TakenAs> {
    const { clock, reportBug } = this.#deps;
    const target = await recordedEndpoint(this.#deps, execution);
    if (target === undefined) return 'no_agent';
    if (isHosted(target)) {
      const untilMs = clock.nowMs() + HOSTED_WAIT_MS;
      await this.add(execution, { untilMs, late: (reason) => endedWaiting(reason, HOSTED_WAIT_MS) });
      return 'waits';
    }
    const readiness = await findPlace(this.#deps, execution, target);
    if (readiness.kind === 'wait') return readiness.reason === 'busy' ? 'busy' : 'no_agent';
    if (readiness.kind === 'refused') {
      await this.#end(execution, readiness.ended);
      return 'not_queued';
    }
    if (!(await dispatchQueued(this.#deps, execution, readiness))) return 'not_queued';
    // The hub that asked does not wait for this read.
    this.#cancelIfRequested(execution.id).catch(reportBug);
    return 'begun';
  }

  /** An execution that waits for a slot would wait at another hub as well, and hubs would pass it back and forth. */
  #isForOtherHubs({ execution, waitingReason, hostedEntry }: Waiting): boolean {
    if (!this.#waiting.has(execution.id)) return false;
    if (hostedEntry === undefined) return waitingReason === 'no_agent';
    return !this.#deps.hosts.hasHost(hostedEntry.pinned);
  }

  /**
   * NOTE: Thousands of executions may wait while thousands of agents connect, so each agent tries only its own workspace.
   */
  async #tryAll(isMeant: (waiting: Waiting) => boolean): Promise<void> {
    const meant = [...this.#waiting.values()].filter(isMeant);
    await Promise.all(meant.map((waiting) => this.#tryToDispatch(waiting)));
  }

  async #tryToDispatch(waiting: Waiting): Promise<void> {
    const { execution } = waiting;
    const target = await untilAnswered(this.#deps.clock, () => recordedEndpoint(this.#deps, execution));
    if (target === undefined) {
      if (this.#take(waiting)) await this.#end(execution, DELETED);
      return;
    }
    if (isHosted(target)) return this.#enterHostedQueue(waiting, target);
    const readiness = await findPlace(this.#deps, execution, target);
    if (readiness.kind === 'wait') {
      waiting.waitingReason = readiness.reason;
      return;
    }
    if (!this.#take(waiting)) return;
    if (readiness.kind === 'refused') return this.#end(execution, readiness.ended);
    if (await dispatchQueued(this.#deps, execution, readiness)) await this.#cancelIfRequested(execution.id);
  }

  /** Queued executions and calls that are not stored yet share one order for the hosted runner. */
  async #enterHostedQueue(waiting: Waiting, target: RegisteredEndpoint): Promise<void> {
    if (waiting.hostedEntry !== undefined) return;
    const { execution } = waiting;
    waiting.hostedEntry = { pinned: undefined, leave: () => undefined };
    const terms = await hostedEntryTerms(this.#deps, execution);
    if ('state' in terms) {
      if (this.#take(waiting)) await this.#end(execution, terms);
      return;
    }
    if (!this.#waiting.has(execution.id)) return;
    const begin = (host: AgentProcess) => this.#beginOnHost(waiting, target, host);
    const leave = this.#deps.hostedQueue.join({ ...terms, workspaceId: execution.workspaceId, begin });
    waiting.hostedEntry = { pinned: terms.instance, leave };
  }

  async #beginOnHost(
    waiting: Waiting,
    target: RegisteredEndpoint,
    host: AgentProcess,
  ): Promise<EntryOutcome> {
    if (!this.#take(waiting)) return 'over';
    const { execution } = waiting;
    try {
      const outcome = await dispatchToHost(this.#deps, execution, target, host);
      switch (outcome.kind) {
        case 'running':
          await this.#cancelIfRequested(execution.id);
          return 'over';
        case 'not_queued':
          return 'over';
        case 'ended':
          await this.#end(execution, outcome.ended);
          return 'over';
        case 'wait':
          return this.#putBack(waiting) ? outcome.outcome : 'over';
      }
    } catch (error) {
      this.#deps.reportBug(error);
      return this.#putBack(waiting) ? 'not_now' : 'over';
    }
  }

  /** The caller that takes an execution out of the queue is the only one that dispatches or ends it. */
  #take({ execution: { id } }: Waiting): boolean {
    return this.#waiting.delete(id);
  }

  /** False when the time of the execution is over: then it ends. */
  #putBack(waiting: Waiting): boolean {
    if (waiting.limit.untilMs > this.#deps.clock.nowMs()) {
      this.#waiting.set(waiting.execution.id, waiting);
      return true;
    }
    this.#endLate(waiting).catch(this.#deps.reportBug);
    return false;
  }

  async #endLate({ execution, limit, waitingReason, hostedEntry }: Waiting): Promise<void> {
    hostedEntry?.leave();
    const reason =
      hostedEntry === undefined ? waitingReason : hostedWaitingReason(this.#deps.hosts, hostedEntry.pinned);
    await this.#end(execution, limit.late(reason));
  }

  #defaultLimit(): WaitLimit {
    return { untilMs: this.#deps.clock.nowMs() + DISPATCH_WAIT_MS, late: endedWaiting };
  }

  /** A cancel request may have been stored after the execution began and before this hub listed it as running. */
  async #cancelIfRequested(id: string): Promise<void> {
    const { ledger, clock, executions } = this.#deps;
    const now = await untilAnswered(clock, () => ledger.find(id));
    if (now?.cancelRequestedAtMs !== undefined) executions.cancel(id);
  }

  async #end(execution: Started, ended: Ended): Promise<void> {
    await untilAnswered(this.#deps.clock, () => endQueued(this.#deps, execution, ended));
  }
}
