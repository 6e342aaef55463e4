import { lostBecause } from '@svc/core/execution/outcome';
import { RECONNECT_GRACE_MS } from '@svc/core/execution/recovery';
import type { AgentAddress } from '../agents/directory-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { Clock } from '../platform/world.ts';

/** Gives each agent process that has disconnected 120 s to reconnect, before its executions are lost (decision 30, liveness). */
export class ReconnectGracePeriods {
  readonly #clock: Clock;
  readonly #executions: RunningExecutions;
  readonly #timers = new Map<string, () => void>();

  constructor(clock: Clock, executions: RunningExecutions) {
    this.#clock = clock;
    this.#executions = executions;
  }

  /** Starts the period: at the closing of the socket, or at the start of the hub. */
  begin(address: AgentAddress): void {
    const key = keyOf(address);
    this.#timers.get(key)?.();
    const atMs = this.#clock.nowMs() + RECONNECT_GRACE_MS;
    this.#timers.set(
      key,
      this.#clock.at(atMs, () => this.#endAsLost(address)),
    );
  }

  end(address: AgentAddress): void {
    const key = keyOf(address);
    this.#timers.get(key)?.();
    this.#timers.delete(key);
  }

  #endAsLost(address: AgentAddress): void {
    this.#timers.delete(keyOf(address));
    const lost = lostBecause(`agent "${address.name}" was away for more than ${RECONNECT_GRACE_MS / 1000} s`);
    for (const { live } of this.#executions.ofAgent(address)) live.finish(lost, this.#clock.nowMs());
  }
}

function keyOf({ workspaceId, name, instance }: AgentAddress): string {
  return `${workspaceId} ${name} ${instance}`;
}
