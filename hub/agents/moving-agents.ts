import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Clock } from '../platform/world.ts';
import { isHosted, NO_WORKSPACE } from './host-address.ts';

/** An agent reconnects at once. A balancer may send it back to the stopping hub, so it tries a few times. */
const MOVES_WITHIN_MS = 10_000;
const POLL_MS = 50;

/**
 * The workspaces whose agents move between hubs because their hub stops, or all of them after a hub has started again. Their calls
 * wait instead of failing (decision 30, liveness; decision 98, restart without a failed call). In all other cases an agent without
 * a connection is offline at once.
 */
export class MovingAgents {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();
  #allUntilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param workspaceIds including the placeholder for hosts of the hosted runner */
  note(workspaceIds: readonly string[]): void {
    const nowMs = this.#clock.nowMs();
    for (const [id, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(id);
    for (const id of workspaceIds) this.#untilMs.set(id, nowMs + MOVES_WITHIN_MS);
  }

  /** Notes the agents of every workspace. */
  noteAll(): void {
    this.#allUntilMs = this.#clock.nowMs() + MOVES_WITHIN_MS;
  }

  /** Resolves when it is time to poll for the agent of an endpoint; with false when none is expected. */
  async comes(target: RegisteredEndpoint): Promise<boolean> {
    const ofWorkspaceMs = this.#untilMs.get(isHosted(target) ? NO_WORKSPACE : target.workspaceId) ?? 0;
    const nowMs = this.#clock.nowMs();
    if (Math.max(ofWorkspaceMs, this.#allUntilMs) <= nowMs) return false;
    await new Promise<void>((resolve) => this.#clock.at(nowMs + POLL_MS, resolve));
    return true;
  }
}
