import { isHosted, NO_WORKSPACE } from '../../agents/host-address.ts';
import type { RegisteredEndpoint } from '../../endpoints/endpoint-ports.ts';
import type { Clock } from '../../platform/world.ts';

/** An agent connects again at once; where a balancer sends it back to the hub that stops, it tries a few times. */
const MOVES_WITHIN_MS = 10_000;
const LOOK_MS = 50;

/**
 * Whose agents are between two hubs, because the one that they were connected to stops: calls wait for them rather than fail
 * (decision 30). Elsewhere an agent that is not there is offline at once.
 */
export class MovingAgents {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param workspaceIds and what stands for a workspace where hosts of the hosted runner are meant */
  note(workspaceIds: readonly string[]): void {
    const nowMs = this.#clock.nowMs();
    for (const [id, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(id);
    for (const id of workspaceIds) this.#untilMs.set(id, nowMs + MOVES_WITHIN_MS);
  }

  /** Settles when it is time to look again whether the agent of an endpoint has come; with false when none is expected. */
  async comes(target: RegisteredEndpoint): Promise<boolean> {
    const untilMs = this.#untilMs.get(isHosted(target) ? NO_WORKSPACE : target.workspaceId);
    const nowMs = this.#clock.nowMs();
    if (untilMs === undefined || untilMs <= nowMs) return false;
    await new Promise<void>((resolve) => this.#clock.at(nowMs + LOOK_MS, resolve));
    return true;
  }
}
