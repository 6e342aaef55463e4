import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { Clock } from '../platform/world.ts';
import type { HostedHosts, RetainedHost } from './hosted-ports.ts';

/**
 * What came of a turn. `over`: it began, or is not wanted any more. `no_place`: as many of its workspace run as may. `not_now`:
 * something of its own is in the way. `pinned`: it may only go to this host.
 */
export type TurnOutcome = 'over' | 'no_place' | 'not_now' | { readonly pinned: string };

export interface Turn {
  readonly workspaceId: string;
  /** How many of its workspace may run. */
  readonly concurrent: number;
  /** The only host that it may go to; undefined: any. */
  readonly instance: string | undefined;
  /** Called when it may be its turn, and again until it is over; must not reject. */
  readonly begin: (host: AgentProcess) => Promise<TurnOutcome>;
}

interface Waiting {
  readonly number: number;
  readonly turn: Turn;
  instance: string | undefined;
  /** It looked, and there was something in the way that may have gone by the next look. */
  isResting: boolean;
  isGone: boolean;
}

interface Line {
  /** In the order in which they came. */
  waiting: Waiting[];
  /** How many are being begun. */
  beginning: number;
  /** As many run as may, by what the store said. */
  isFull: boolean;
}

/** So often the store is asked whether another hub has given a place back. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Who waits for the hosted runner: in each workspace those who came first, and of the workspaces one after the other, so that
 * one with many calls keeps none of the others waiting. How many may run is for the store to say; here is who asks it, and when.
 */
export class HostedQueue {
  readonly #hosts: HostedHosts;
  readonly #executions: Pick<RunningExecutions, 'hostedOf'>;
  readonly #clock: Clock;
  /** By workspace; the one whose turn it is next comes first. */
  readonly #lines = new Map<string, Line>();
  #numbers = 0;
  #cancelLook: (() => void) | undefined;

  constructor(hosts: HostedHosts, executions: Pick<RunningExecutions, 'hostedOf'>, clock: Clock) {
    this.#hosts = hosts;
    this.#executions = executions;
    this.#clock = clock;
  }

  /** How many wait. */
  get length(): number {
    return [...this.#lines.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Its turn may come at once. The returned function leaves: false while it is being begun, whose outcome counts then. */
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

  /** A host has come: whoever can, begins. */
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

  /** An execution of the workspace has ended here: there may be a place now. */
  ended(workspaceId: string): void {
    const line = this.#lines.get(workspaceId);
    if (line !== undefined) awake(line);
    if (this.#lines.size > 0) this.review();
  }

  /** The first that can go, with the host that it goes to: one that is tied to a host holds up nobody else. */
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

  /** Lines in which nobody is are forgotten; for the others the store is asked again soon. */
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
