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
import type { EventStream } from '../platform/event-stream.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import { type DispatchQueuedDeps, dispatchQueued, findPlace } from './dispatch-queued.ts';
import { type DispatchToHostDeps, dispatchToHost, hostedEntryTerms } from './dispatch-to-host.ts';
import { endQueued, type WaitLimit } from './end-queued.ts';
import { HostPlacement, type HostPlacementDeps, waitingReasonOf } from './host-placement.ts';
import { type HostAttempts, type HostOutcome, QueueEntries, type QueueEntry } from './queue-entries.ts';
import { recordedEndpoint } from './restore-values.ts';

export type QueueDeps = Omit<DispatchQueuedDeps, 'hasOtherHubs'> &
  DispatchToHostDeps &
  HostPlacementDeps & {
    readonly ledger: ExecutionLedger;
    readonly reportBug: (error: unknown) => unknown;
    /** Asks other hubs for an agent or a host that this hub does not have. Undefined where there is no other hub. */
    readonly onWaits?: ((workspaceId: string) => void) | undefined;
  };

type StoredEntry = QueueEntry & { readonly execution: Started };

type NewEntry<Of> = Omit<QueueEntry, 'cancelTimeout' | 'isTaken' | 'isResting'> & { readonly execution: Of };

/** A call of the hosted runner that is not stored yet. */
export interface UnstoredCall extends Omit<HostAttempts, 'left'> {
  /** The limit of concurrent executions of its workspace. */
  readonly concurrent: number;
  readonly untilMs: number;
  readonly late: (reason: WaitingReason) => void;
}

const DELETED = rejectedBecause('stale', 'not_found', 'its endpoint was deleted before it was dispatched');

/**
 * The queue of this hub: executions, and calls of the hosted runner that are not stored yet, each with what it waits for. An
 * execution is dispatched at once where an agent is connected, else when one connects (decision 24, states and takeover). For the
 * hosted runner the store enforces the limits; the queue decides who asks it, and when (decision 50, the queue of the hosted
 * runner).
 *
 * The queue holds no execution that the store does not have: after a restart, or a takeover by another hub, executions are added
 * again.
 */
export class ExecutionQueue {
  readonly #deps: QueueDeps & DispatchQueuedDeps;
  readonly #entries = new QueueEntries();
  readonly #hostPlacement: HostPlacement;
  readonly #isClaiming = new Set<string>();

  constructor(ports: QueueDeps) {
    this.#deps = { ...ports, hasOtherHubs: ports.onWaits !== undefined };
    this.#hostPlacement = new HostPlacement(ports, this.#entries);
  }

  /** The number of entries that wait for a place on the hosted runner. */
  get waitingForHost(): number {
    return this.#entries.waitingForHost;
  }

  subscribe(stream: EventStream): void {
    stream.subscribe('execution_ended', ({ execution }) => this.#slotReleased(execution));
  }

  /** Settles when the execution is dispatched, or its waiting reason is known. Adding it twice counts once. */
  async add(execution: Started, limit: WaitLimit = this.#defaultLimit()): Promise<void> {
    const { clock, executions, reportBug, onWaits } = this.#deps;
    const { id, workspaceId } = execution;
    if (this.#entries.has(id) || executions.find(id) !== undefined) return;
    if (limit.untilMs <= clock.nowMs()) return this.#end(execution, limit.late('no_agent'));
    const entry = this.#enter({
      ...{ workspaceId, execution, untilMs: limit.untilMs },
      waitingFor: { kind: 'agent', reason: 'no_agent' },
      late: (reason) => void this.#end(execution, limit.late(reason)).catch(reportBug),
    });
    await this.#tryToDispatch(entry);
    if (this.#isForOtherHubs(entry)) onWaits?.(workspaceId);
  }

  /** Adds a call of the hosted runner, which may begin at once. */
  addUnstored({ workspaceId, concurrent, untilMs, begin, late }: UnstoredCall): void {
    const entry = this.#enter({
      ...{ workspaceId, execution: undefined, untilMs, late },
      waitingFor: { kind: 'host', terms: undefined },
    });
    this.#hostPlacement.await(entry, { concurrent, instance: undefined }, begin);
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
    await this.#tryAll(workspaceId, () => true);
  }

  /** Called when a host of the hosted runner has connected. */
  hostConnected(): void {
    this.#hostPlacement.begin();
  }

  /** An execution has ended on this hub: its endpoint, and its workspace on the hosted runner, may have a free slot. */
  #slotReleased({ workspaceId, endpointId }: Pick<Started, 'workspaceId' | 'endpointId'>): void {
    if (this.#entries.isEmpty) return;
    const isBusy = ({ execution, waitingFor }: StoredEntry) =>
      execution.endpointId === endpointId && waitingFor.kind === 'agent' && waitingFor.reason === 'busy';
    this.#tryAll(workspaceId, isBusy).catch(this.#deps.reportBug);
    this.#hostPlacement.slotReleased(workspaceId);
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

  #enter<Of extends Started | undefined>(given: NewEntry<Of>): QueueEntry & { readonly execution: Of } {
    const { clock, hosts } = this.#deps;
    const cancelTimeout = clock.at(given.untilMs, () => {
      if (this.#leave(entry)) entry.late(waitingReasonOf(hosts, entry));
    });
    const entry = { ...given, cancelTimeout, isTaken: false, isResting: false };
    this.#entries.add(entry);
    return entry;
  }

  /** The caller that takes an entry out of the queue is the only one that dispatches or ends it. */
  #leave(entry: QueueEntry): boolean {
    if (!this.#entries.isWaiting(entry)) return false;
    this.#entries.remove(entry);
    this.#hostPlacement.pollSoon();
    if (entry.waitingFor.kind === 'host') entry.waitingFor.terms?.attempts.left();
    return true;
  }

  /** An execution that waits for a slot would wait at another hub as well, and hubs would pass it back and forth. */
  #isForOtherHubs(entry: StoredEntry): boolean {
    if (!this.#entries.isWaiting(entry)) return false;
    const reason = waitingReasonOf(this.#deps.hosts, entry);
    return reason === 'no_agent' || reason === 'no_host' || reason === 'host_gone';
  }

  /**
   * NOTE: Thousands of executions may wait while thousands of agents connect, so each agent tries only its own workspace.
   */
  async #tryAll(workspaceId: string, isMeant: (entry: StoredEntry) => boolean): Promise<void> {
    const meant = [...this.#entries.of(workspaceId)].filter(
      (entry): entry is StoredEntry => isStored(entry) && isMeant(entry),
    );
    await Promise.all(meant.map((entry) => this.#tryToDispatch(entry)));
  }

  async #tryToDispatch(entry: StoredEntry): Promise<void> {
    const { execution } = entry;
    const target = await untilAnswered(this.#deps.clock, () => recordedEndpoint(this.#deps, execution));
    if (target === undefined) {
      if (this.#leave(entry)) await this.#end(execution, DELETED);
      return;
    }
    if (isHosted(target)) return this.#tryToAwaitHost(entry, target);
    const readiness = await findPlace(this.#deps, execution, target);
    if (readiness.kind === 'wait') {
      if (entry.waitingFor.kind === 'agent') entry.waitingFor = { kind: 'agent', reason: readiness.reason };
      return;
    }
    if (!this.#leave(entry)) return;
    if (readiness.kind === 'refused') return this.#end(execution, readiness.ended);
    if (await dispatchQueued(this.#deps, execution, readiness)) await this.#cancelIfRequested(execution.id);
  }

  async #tryToAwaitHost(entry: StoredEntry, target: RegisteredEndpoint): Promise<void> {
    if (entry.waitingFor.kind === 'host' || !this.#entries.isWaiting(entry)) return;
    const { execution } = entry;
    this.#entries.awaitHost(entry, undefined);
    const terms = await hostedEntryTerms(this.#deps, execution);
    if ('state' in terms) {
      if (this.#leave(entry)) await this.#end(execution, terms);
    } else if (this.#entries.isWaiting(entry)) {
      this.#hostPlacement.await(entry, terms, (host) => this.#beginStored(execution, target, host));
    }
  }

  async #beginStored(
    execution: Started,
    target: RegisteredEndpoint,
    host: AgentProcess,
  ): Promise<HostOutcome> {
    try {
      const outcome = await dispatchToHost(this.#deps, execution, target, host);
      if (outcome.kind === 'wait') return outcome.outcome;
      if (outcome.kind === 'ended') await this.#end(execution, outcome.ended);
      if (outcome.kind === 'running') await this.#cancelIfRequested(execution.id);
      return 'over';
    } catch (error) {
      this.#deps.reportBug(error);
      return 'not_now';
    }
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

function isStored(entry: QueueEntry): entry is StoredEntry {
  return entry.execution !== undefined;
}
