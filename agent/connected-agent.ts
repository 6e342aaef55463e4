import type { LinkRefusal } from './link/event.ts';
import type { AgentExecutions } from './link/execution/executions.ts';
import type { HubLink } from './link/link.ts';
import type { Timers } from './link/timers.ts';

/** An agent that is connected to a hub, or tries to connect. */
export interface ConnectedAgent {
  /** Resolves when the hub refuses the agent for good; the caller then stops it. */
  readonly refused: Promise<LinkRefusal>;
  /** The number of running commands. */
  running(): number;
  /** Starts nothing more and lets running commands finish. Resolves when the hub has every ending, or the journal keeps it. */
  stop(): Promise<void>;
  /** The same, but cancels running commands. May follow `stop`. */
  stopNow(): Promise<void>;
}

export interface AgentParts {
  readonly link: HubLink;
  readonly executions: AgentExecutions;
  /** The resources to release. */
  readonly resources: AsyncDisposableStack;
  readonly timers: Timers;
}

/** How long to wait for the acknowledgement of the last endings. The journal keeps the others. */
const DELIVERY_MS = 10_000;
const HURRIED_DELIVERY_MS = 2_000;
/** How long a hub may take to say that no order is under way any more. */
const LEAVING_MS = 2_000;

export function stoppable({ link, executions, resources, timers }: AgentParts): ConnectedAgent {
  const { promise: timedOut, resolve: giveUp } = Promise.withResolvers<void>();
  const limits: (() => void)[] = [];
  const { promise: hurried, resolve: hurry } = Promise.withResolvers<void>();
  let stopped: Promise<void> | undefined;

  const finish = async () => {
    // Orders that are under way still run, so that no call fails because an agent of a pool stops.
    const { promise: unheard, resolve: refuseNow } = Promise.withResolvers<void>();
    limits.push(timers.after(LEAVING_MS, refuseNow));
    await Promise.race([link.leave(), unheard, hurried]);
    executions.leave();
    await executions.idle();
    limits.push(timers.after(DELIVERY_MS, giveUp));
    await Promise.race([executions.delivered(), timedOut, link.refused]);
    for (const withdraw of limits) withdraw();
    await resources.disposeAsync();
  };
  const stop = () => {
    stopped ??= finish();
    return stopped;
  };
  return {
    refused: link.refused,
    running: () => executions.running,
    stop,
    async stopNow() {
      const finished = stop();
      hurry();
      executions.leave();
      executions.cancelAll();
      await executions.idle();
      limits.push(timers.after(HURRIED_DELIVERY_MS, giveUp));
      await finished;
      for (const withdraw of limits) withdraw();
    },
  };
}
