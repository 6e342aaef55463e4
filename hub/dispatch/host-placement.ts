import type { WaitingReason } from '@svc/core/execution/waiting';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { Clock } from '../platform/world.ts';
import { type HostedEntryTerms, hostedWaitingReason } from './dispatch-to-host.ts';
import type { HostAttempts, HostOutcome, PlacedEntry, QueueEntries, QueueEntry } from './queue-entries.ts';

export interface HostPlacementDeps {
  readonly clock: Clock;
  readonly hosts: HostedHosts;
  readonly executions: Pick<RunningExecutions, 'hostedOf'>;
  /** Observes the wait of an entry. */
  readonly observeHostWait: (attempts: HostAttempts) => HostAttempts;
}

/** The interval of polls whether another hub has released a slot of the hosted runner. */
const POLL_MS = 1_000;

/**
 * Begins the entries of the queue that wait for the hosted runner. The store enforces the limits; the order of the entries
 * decides who asks it, and when (decision 50, the queue of the hosted runner).
 */
export class HostPlacement {
  readonly #deps: HostPlacementDeps;
  readonly #entries: QueueEntries;
  #cancelPoll: (() => void) | undefined;

  constructor(deps: HostPlacementDeps, entries: QueueEntries) {
    this.#deps = deps;
    this.#entries = entries;
  }

  /** Lets an entry of the queue wait for a host. It may begin at once. */
  await(entry: QueueEntry, terms: HostedEntryTerms, begin: HostAttempts['begin']): void {
    const attempts = this.#deps.observeHostWait({
      workspaceId: entry.workspaceId,
      begin: async (host) => this.#overIfLate(entry, await begin(host)),
      left: () => undefined,
    });
    this.#entries.awaitHost(entry, { ...terms, attempts });
    this.begin();
  }

  /** A slot of the workspace may be free. */
  slotReleased(workspaceId: string): void {
    this.#entries.unblock(workspaceId);
    if (this.#entries.hasHostEntries) this.begin();
  }

  /** Begins every entry that can begin. */
  begin(): void {
    const { executions, hosts } = this.#deps;
    const parts = {
      runningOf: (workspaceId: string) => executions.hostedOf(workspaceId),
      reserve: (instance: string | undefined) => hosts.reserveHost(instance),
    };
    for (;;) {
      const placed = this.#entries.takeForHost(parts);
      if (placed === undefined) break;
      void this.#attempt(placed);
    }
    this.pollSoon();
  }

  /** Polls the store again soon while entries wait for a host. */
  pollSoon(): void {
    const { clock } = this.#deps;
    if (!this.#entries.hasHostEntries) {
      this.#cancelPoll?.();
      this.#cancelPoll = undefined;
      return;
    }
    this.#cancelPoll ??= clock.at(clock.nowMs() + POLL_MS, () => {
      this.#cancelPoll = undefined;
      this.#entries.unblock();
      this.begin();
    });
  }

  async #attempt(placed: PlacedEntry): Promise<void> {
    const outcome = await placed.terms.attempts.begin(placed.host.process);
    placed.host.release();
    if (outcome === 'over') this.#entries.remove(placed.entry);
    else this.#entries.putBack(placed, outcome);
    this.begin();
  }

  /** An entry whose time has passed while it was being begun ends. */
  #overIfLate(entry: QueueEntry, outcome: HostOutcome): HostOutcome {
    if (outcome === 'over' || entry.untilMs > this.#deps.clock.nowMs()) return outcome;
    entry.late(waitingReasonOf(this.#deps.hosts, entry));
    return 'over';
  }
}

/** Why an entry of the queue waits now. */
export function waitingReasonOf(hosts: HostedHosts, { waitingFor }: QueueEntry): WaitingReason {
  if (waitingFor.kind === 'agent') return waitingFor.reason;
  return hostedWaitingReason(hosts, waitingFor.terms?.instance);
}
