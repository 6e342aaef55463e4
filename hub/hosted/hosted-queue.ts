import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { Clock } from '../platform/world.ts';
import type { HostedHosts, RetainedHost } from './hosted-ports.ts';

/**
 * The outcome of an attempt. `over`: it began or is no longer needed. `no_place`: its workspace has no free slot. `not_now`:
 * it cannot begin at present for a reason of its own. `pinned`: it may run only on this host.
 */
export type TurnOutcome = 'over' | 'no_place' | 'not_now' | { readonly pinned: string };

export interface Turn {
  readonly workspaceId: string;
  /** The limit of concurrent executions of its workspace. */
  readonly concurrent: number;
  /** The only host that it may run on; undefined: any. */
  readonly instance: string | undefined;
  /** Called when it may begin, and again until the outcome is `over`. It must not reject. */
  readonly begin: (host: AgentProcess) => Promise<TurnOutcome>;
}

interface Waiting {
  readonly number: number;
  readonly turn: Turn;
  instance: string | undefined;
  /** The last attempt found a temporary obstacle. */
  isResting: boolean;
  isGone: boolean;
}

interface Line {
  /** The entries in order of arrival. */
  waiting: Waiting[];
  /** The number of entries that are being begun. */
  beginning: number;
  /** The store reported that the workspace has no free slot. */
  isFull: boolean;
}

/** The interval of polls whether another hub has released a slot. */
const LOOK_AGAIN_MS = 1_000;

/**
 * The queue for the hosted runner: first come, first served within a workspace, and round robin between workspaces, so that
 * one busy workspace does not delay the others. The store enforces the limits; the queue decides who asks it, and when.
 */
export class HostedQueue {
  readonly #hosts: HostedHosts;
  readonly #executions: Pick<RunningExecutions, 'hostedOf'>;
  readonly #clock: Clock;
  /** The queues by workspace; the next workspace comes first. */
  readonly #lines = new Map<string, Line>();
  #numbers = 0;
  #cancelLook: (() => void) | undefined;

  constructor(hosts: HostedHosts, executions: Pick<RunningExecutions, 'hostedOf'>, clock: Clock) {
    this.#hosts = hosts;
    this.#executions = executions;
    this.#clock = clock;
  }

  /** The number of waiting entries. */
  get length(): number {
    return [...this.#lines.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Adds an entry, which may begin at once. The returned function removes it; false while it is being begun. */
  join(turn: Turn): () => boolean {
    const waiting = {
      number: ++this.#numbers,
      turn,
      instance: turn.instance,
      isResting: false,
      isGone: false,
    };
    this.#put(waiting);
    this.review();
    return () => this.#leave(waiting);
  }

  /** A host has connected: begins the entries that can begin. */
  review(): void {
    for (let isMoving = true; isMoving; ) {
      isMoving = false;
      for (const [workspaceId, line] of [...this.#lines]) {
        const next = this.#next(workspaceId, line);
        if (next === undefined) continue;
        isMoving = true;
        this.#lines.delete(workspaceId);
        this.#lines.set(workspaceId, line);
        void this.#begin(line, next.waiting, next.host);
      }
    }
    this.#tidy();
  }

  /** An execution of the workspace has ended on this hub, so a slot may be free. */
  ended(workspaceId: string): void {
    const line = this.#lines.get(workspaceId);
    if (line !== undefined) awake(line);
    if (this.#lines.size > 0) this.review();
  }

  /** The first entry that can begin, with its host. An entry that is pinned to a busy host does not block the others. */
  #next(workspaceId: string, line: Line): { waiting: Waiting; host: RetainedHost } | undefined {
    const running = this.#executions.hostedOf(workspaceId) + line.beginning;
    for (const waiting of line.waiting) {
      if (line.isFull || running >= waiting.turn.concurrent) return undefined;
      if (waiting.isResting) continue;
      const host = this.#hosts.holdHost(waiting.instance);
      if (host !== undefined) return { waiting, host };
      if (waiting.instance === undefined) return undefined;
    }
    return undefined;
  }

  async #begin(line: Line, waiting: Waiting, host: RetainedHost): Promise<void> {
    line.waiting = line.waiting.filter((one) => one !== waiting);
    line.beginning += 1;
    const outcome = await waiting.turn.begin(host.process);
    host.giveBack();
    line.beginning -= 1;
    if (outcome !== 'over' && !waiting.isGone) {
      if (outcome === 'no_place') line.isFull = true;
      else if (outcome === 'not_now') waiting.isResting = true;
      else waiting.instance = outcome.pinned;
      this.#put(waiting);
    }
    this.review();
  }

  #put(waiting: Waiting): void {
    const { workspaceId } = waiting.turn;
    const line = this.#lines.get(workspaceId) ?? { waiting: [], beginning: 0, isFull: false };
    const at = line.waiting.findLastIndex(({ number }) => number < waiting.number);
    line.waiting.splice(at + 1, 0, waiting);
    this.#lines.set(workspaceId, line);
  }

  #leave(waiting: Waiting): boolean {
    waiting.isGone = true;
    const line = this.#lines.get(waiting.turn.workspaceId);
    const at = line?.waiting.indexOf(waiting) ?? -1;
    if (at >= 0) line?.waiting.splice(at, 1);
    this.#tidy();
    return at >= 0;
  }

  /** Removes empty queues; polls the store again soon for the others. */
  #tidy(): void {
    for (const [workspaceId, { waiting, beginning }] of [...this.#lines])
      if (waiting.length === 0 && beginning === 0) this.#lines.delete(workspaceId);
    if (this.#lines.size === 0) {
      this.#cancelLook?.();
      this.#cancelLook = undefined;
      return;
    }
    this.#cancelLook ??= this.#clock.at(this.#clock.nowMs() + LOOK_AGAIN_MS, () => {
      this.#cancelLook = undefined;
      for (const line of this.#lines.values()) awake(line);
      this.review();
    });
  }
}

function awake(line: Line): void {
  line.isFull = false;
  for (const waiting of line.waiting) waiting.isResting = false;
}
