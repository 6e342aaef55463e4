import { lostBecause } from '@svc/core/execution/outcome';
import { RECONNECT_GRACE_MS } from '@svc/core/execution/recovery';
import type { AgentAddress } from '../agents/directory-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { Clock } from '../platform/world.ts';

/** The agent processes that executions wait for; each has 120 s to come back (decision 30). */
export class ReconnectGracePeriods {
  readonly #clock: Clock;
  readonly #executions: RunningExecutions;
  readonly #away = new Map<string, () => void>();

  constructor(clock: Clock, executions: RunningExecutions) {
    this.#clock = clock;
    this.#executions = executions;
  }

  /** Counted from now: the closing of the socket, or the start of the hub. */
  begin(address: AgentAddress): void {
    const key = keyOf(address);
    this.#away.get(key)?.();
    const atMs = this.#clock.nowMs() + RECONNECT_GRACE_MS;
    this.#away.set(
      key,
      this.#clock.at(atMs, () => this.#giveUp(address)),
    );
  }

  end(address: AgentAddress): void {
    const key = keyOf(address);
    this.#away.get(key)?.();
    this.#away.delete(key);
  }

  #giveUp(address: AgentAddress): void {
    this.#away.delete(keyOf(address));
    const lost = lostBecause(`agent "${address.name}" was away for more than ${RECONNECT_GRACE_MS / 1000} s`);
    for (const { live } of this.#executions.ofAgent(address)) live.finish(lost, this.#clock.nowMs());
  }
}

function keyOf({ workspaceId, name, instance }: AgentAddress): string {
  return `${workspaceId} ${name} ${instance}`;
}
