import type { WaitingReason } from '@svc/core/execution/waiting';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { Started } from '../executions/live/running-executions.ts';
import type { RetainedHost } from '../hosted/hosted-ports.ts';

/**
 * The outcome of an attempt on a host. `over`: it began or is no longer needed. `no_place`: its workspace has no free slot.
 * `not_now`: it cannot begin at present for a reason of its own. `pinned`: it may run only on this host.
 */
export type HostOutcome = 'over' | 'no_place' | 'not_now' | { readonly pinned: string };

/** How an entry that waits for a host is begun. */
export interface HostAttempts {
  readonly workspaceId: string;
  /** Called when it may begin, and again until the outcome is `over`. It must not reject. */
  readonly begin: (host: AgentProcess) => Promise<HostOutcome>;
  /** Called when it leaves the queue and has not begun. */
  readonly left: () => void;
}

export interface HostTerms {
  /** The limit of concurrent executions of its workspace. */
  readonly concurrent: number;
  /** The only host that it may run on; undefined: any. */
  readonly instance: string | undefined;
  readonly attempts: HostAttempts;
}

export type WaitingFor =
  /** An agent, a free slot of its endpoint, or its values: the reason of the last attempt. */
  | { readonly kind: 'agent'; readonly reason: WaitingReason }
  /** A place on the hosted runner; without terms its plan is not read yet. */
  | { readonly kind: 'host'; readonly terms: HostTerms | undefined };

export interface QueueEntry {
  readonly workspaceId: string;
  /** Undefined: a call of the hosted runner, which waits before it is stored. */
  readonly execution: Started | undefined;
  readonly untilMs: number;
  /** Called at `untilMs` when it has not begun. */
  readonly late: (reason: WaitingReason) => void;
  waitingFor: WaitingFor;
  /** Called when it is removed. */
  cancelTimeout: () => void;
  /** It is being begun on a host. */
  isTaken: boolean;
  /** The last attempt on a host found a temporary obstacle. */
  isResting: boolean;
}

type OnHost = QueueEntry & { waitingFor: { readonly kind: 'host'; readonly terms: HostTerms } };

/** An entry that is being begun, on the host that is reserved for it. */
export interface PlacedEntry {
  readonly entry: QueueEntry;
  readonly terms: HostTerms;
  readonly host: RetainedHost;
}

interface Hosts {
  /** The number of executions of a workspace that run on the hosted runner. */
  readonly runningOf: (workspaceId: string) => number;
  readonly reserve: (instance: string | undefined) => RetainedHost | undefined;
}

/**
 * The entries of the queue: first come, first served within a workspace. Workspaces take turns for the hosted runner, so that
 * one busy workspace does not delay the others (decision 50, the queue of the hosted runner).
 */
export class QueueEntries {
  /** By workspace, in the order of arrival. An entry that is being begun keeps its position. */
  readonly #byWorkspace = new Map<string, Set<QueueEntry>>();
  readonly #executions = new Map<string, QueueEntry>();
  /** The workspaces with entries for hosts; the next one comes first. */
  readonly #rotation = new Set<string>();
  /** The workspaces of which the store reported that they have no free slot. */
  readonly #full = new Set<string>();

  get isEmpty(): boolean {
    return this.#byWorkspace.size === 0;
  }

  /** The number of entries that wait for a place on the hosted runner. */
  get waitingForHost(): number {
    return [...this.#rotation].flatMap((workspaceId) => this.#readyForHost(workspaceId)).length;
  }

  /** Whether any entry waits for a host or is being begun on one. */
  get hasHostEntries(): boolean {
    return this.#rotation.size > 0;
  }

  add(entry: QueueEntry): void {
    const { workspaceId, execution } = entry;
    const entries = this.#byWorkspace.get(workspaceId);
    if (entries === undefined) this.#byWorkspace.set(workspaceId, new Set([entry]));
    else entries.add(entry);
    if (execution !== undefined) this.#executions.set(execution.id, entry);
    if (entry.waitingFor.kind === 'host') this.#rotation.add(workspaceId);
  }

  has(executionId: string): boolean {
    return this.#executions.has(executionId);
  }

  /** Whether the entry is in the queue and is not being begun. */
  isWaiting(entry: QueueEntry): boolean {
    return !entry.isTaken && this.#byWorkspace.get(entry.workspaceId)?.has(entry) === true;
  }

  /** The entries of a workspace in the order of arrival. */
  of(workspaceId: string): Iterable<QueueEntry> {
    return this.#byWorkspace.get(workspaceId) ?? [];
  }

  awaitHost(entry: QueueEntry, terms: HostTerms | undefined): void {
    entry.waitingFor = { kind: 'host', terms };
    this.#rotation.add(entry.workspaceId);
  }

  remove(entry: QueueEntry): void {
    const { workspaceId, execution, waitingFor } = entry;
    const entries = this.#byWorkspace.get(workspaceId);
    if (entries?.delete(entry) !== true) return;
    entry.cancelTimeout();
    if (execution !== undefined) this.#executions.delete(execution.id);
    if (entries.size === 0) this.#byWorkspace.delete(workspaceId);
    if (waitingFor.kind !== 'host' || entries.values().some((one) => one.waitingFor.kind === 'host')) return;
    this.#rotation.delete(workspaceId);
    this.#full.delete(workspaceId);
  }

  /** Takes the next entry that can begin on a host. Its workspace is the last one that gets another turn. */
  takeForHost(hosts: Hosts): PlacedEntry | undefined {
    for (const workspaceId of this.#rotation) {
      const placed = this.#placedEntryOf(workspaceId, hosts);
      if (placed === undefined) continue;
      placed.entry.isTaken = true;
      this.#rotation.delete(workspaceId);
      this.#rotation.add(workspaceId);
      return placed;
    }
    return undefined;
  }

  /** An attempt did not begin the entry, which waits again at its old position. */
  putBack({ entry, terms }: PlacedEntry, outcome: Exclude<HostOutcome, 'over'>): void {
    entry.isTaken = false;
    if (outcome === 'no_place') this.#full.add(entry.workspaceId);
    else if (outcome === 'not_now') entry.isResting = true;
    else this.awaitHost(entry, { ...terms, instance: outcome.pinned });
  }

  /** What kept entries from a host may have changed; undefined: in all workspaces. */
  unblock(workspaceId?: string): void {
    for (const one of workspaceId === undefined ? this.#rotation : [workspaceId]) {
      if (!this.#rotation.has(one)) continue;
      this.#full.delete(one);
      for (const entry of this.of(one)) entry.isResting = false;
    }
  }

  /** The first entry that can begin, with its host. An entry that is pinned to a busy host does not block the others. */
  #placedEntryOf(workspaceId: string, { runningOf, reserve }: Hosts): PlacedEntry | undefined {
    if (this.#full.has(workspaceId)) return undefined;
    const running = runningOf(workspaceId) + this.#takenOf(workspaceId);
    for (const entry of this.#readyForHost(workspaceId)) {
      const { terms } = entry.waitingFor;
      if (running >= terms.concurrent) return undefined;
      if (entry.isResting) continue;
      const host = reserve(terms.instance);
      if (host !== undefined) return { entry, terms, host };
      if (terms.instance === undefined) return undefined;
    }
    return undefined;
  }

  #takenOf(workspaceId: string): number {
    return [...this.of(workspaceId)].filter(({ isTaken }) => isTaken).length;
  }

  #readyForHost(workspaceId: string): OnHost[] {
    return [...this.of(workspaceId)].filter((entry): entry is OnHost => !entry.isTaken && hasTerms(entry));
  }
}

function hasTerms(entry: QueueEntry): entry is OnHost {
  return entry.waitingFor.kind === 'host' && entry.waitingFor.terms !== undefined;
}
