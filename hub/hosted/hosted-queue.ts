import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { Clock } from '../platform/world.ts';
import type { HostedHosts, RetainedHost } from './hosted-ports.ts';

/**
 * The outcome of an attempt. `over`: it began or is no longer needed. `no_place`: its workspace has no free slot. `not_now`:
 * it cannot begin at present for a reason of its own. `pinned`: it may run only on this host.
 */
export type EntryOutcome = 'over' | 'no_place' | 'not_now' | { readonly pinned: string };

export interface QueueEntry {
  readonly workspaceId: string;
  /** The limit of concurrent executions of its workspace. */
  readonly concurrent: number;
  /** The only host that it may run on; undefined: any. */
  readonly instance: string | undefined;
  /** Called when it may begin, and again until the outcome is `over`. It must not reject. */
  readonly begin: (host: AgentProcess) => Promise<EntryOutcome>;
}

interface Waiting {
  readonly number: number;
  readonly entry: QueueEntry;
  instance: string | undefined;
  /** The last attempt found a temporary obstacle. */
  isResting: boolean;
  isGone: boolean;
}

interface WorkspaceQueue {
  /** The entries in order of arrival. */
  waiting: Waiting[];
  /** The number of entries that are being begun. */
  beginning: number;
  /** The store reported that the workspace has no free slot. */
  isFull: boolean;
}

/** The interval of polls whether another hub has released a slot. */
const POLL_MS = 1_000;

/**
 * The queue for the hosted runner: first come, first served within a workspace, and round robin between workspaces, so that
 * one busy workspace does not delay the others. The store enforces the limits; the queue decides who asks it, and when.
 */
export class HostedQueue {
  readonly #hosts: HostedHosts;
  readonly #executions: Pick<RunningExecutions, 'hostedOf'>;
  readonly #clock: Clock;
  /** The queues by workspace; the next workspace comes first. */
  readonly #queues = new Map<string, WorkspaceQueue>();
  #numbers = 0;
  #cancelPoll: (() => void) | undefined;

  constructor(hosts: HostedHosts, executions: Pick<RunningExecutions, 'hostedOf'>, clock: Clock) {
    this.#hosts = hosts;
    this.#executions = executions;
    this.#clock = clock;
  }

  /** The number of waiting entries. */
  get length(): number {
    return [...this.#queues.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Adds an entry, which may begin at once. The returned function removes it; false while it is being begun. */
  join(entry: QueueEntry): () => boolean {
    const waiting = {
      number: ++this.#numbers,
      entry,
      instance: entry.instance,
      isResting: false,
      isGone: false,
    };
    this.#put(waiting);
    this.poll();
    return () => this.#leave(waiting);
  }

  /** A host has connected: begins the entries that can begin. */
  poll(): void {
    for (let isMoving = true; isMoving; ) {
      isMoving = false;
      for (const [workspaceId, queue] of [...this.#queues]) {
        const next = this.#next(workspaceId, queue);
        if (next === undefined) continue;
        isMoving = true;
        this.#queues.delete(workspaceId);
        this.#queues.set(workspaceId, queue);
        void this.#begin(queue, next.waiting, next.host);
      }
    }
    this.#tidy();
  }

  /** An execution of the workspace has ended on this hub, so a slot may be free. */
  ended(workspaceId: string): void {
    const queue = this.#queues.get(workspaceId);
    if (queue !== undefined) unblock(queue);
    if (this.#queues.size > 0) this.poll();
  }

  /** The first entry that can begin, with its host. An entry that is pinned to a busy host does not block the others. */
  #next(workspaceId: string, queue: WorkspaceQueue): { waiting: Waiting; host: RetainedHost } | undefined {
    const running = this.#executions.hostedOf(workspaceId) + queue.beginning;
    for (const waiting of queue.waiting) {
      if (queue.isFull || running >= waiting.entry.concurrent) return undefined;
      if (waiting.isResting) continue;
      const host = this.#hosts.holdHost(waiting.instance);
      if (host !== undefined) return { waiting, host };
      if (waiting.instance === undefined) return undefined;
    }
    return undefined;
  }

  async #begin(queue: WorkspaceQueue, waiting: Waiting, host: RetainedHost): Promise<void> {
    queue.waiting = queue.waiting.filter((one) => one !== waiting);
    queue.beginning += 1;
    const outcome = await waiting.entry.begin(host.process);
    host.release();
    queue.beginning -= 1;
    if (outcome !== 'over' && !waiting.isGone) {
      if (outcome === 'no_place') queue.isFull = true;
      else if (outcome === 'not_now') waiting.isResting = true;
      else waiting.instance = outcome.pinned;
      this.#put(waiting);
    }
    this.poll();
  }

  #put(waiting: Waiting): void {
    const { workspaceId } = waiting.entry;
    const queue = this.#queues.get(workspaceId) ?? { waiting: [], beginning: 0, isFull: false };
    const at = queue.waiting.findLastIndex(({ number }) => number < waiting.number);
    queue.waiting.splice(at + 1, 0, waiting);
    this.#queues.set(workspaceId, queue);
  }

  #leave(waiting: Waiting): boolean {
    waiting.isGone = true;
    const queue = this.#queues.get(waiting.entry.workspaceId);
    const at = queue?.waiting.indexOf(waiting) ?? -1;
    if (at >= 0) queue?.waiting.splice(at, 1);
    this.#tidy();
    return at >= 0;
  }

  /** Removes empty queues; polls the store again soon for the others. */
  #tidy(): void {
    for (const [workspaceId, { waiting, beginning }] of [...this.#queues])
      if (waiting.length === 0 && beginning === 0) this.#queues.delete(workspaceId);
    if (this.#queues.size === 0) {
      this.#cancelPoll?.();
      this.#cancelPoll = undefined;
      return;
    }
    this.#cancelPoll ??= this.#clock.at(this.#clock.nowMs() + POLL_MS, () => {
      this.#cancelPoll = undefined;
      for (const queue of this.#queues.values()) unblock(queue);
      this.poll();
    });
  }
}

function unblock(queue: WorkspaceQueue): void {
  queue.isFull = false;
  for (const waiting of queue.waiting) waiting.isResting = false;
}
