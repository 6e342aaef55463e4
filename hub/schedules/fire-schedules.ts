import { isBeyondCap } from '@svc/core/schedule/cap';
import type { Accounts, Workspace } from '../accounts/account-ports.ts';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import { fireWaitLimit } from '../dispatch/fire-wait-limit.ts';
import { giveToAgent } from '../dispatch/give-to-agent.ts';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import { sentDefinition } from '../dispatch/run-order.ts';
import type { Endpoints, RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import { isUnavailable, untilAnswered } from '../platform/until-answered.ts';
import {
  type DecidePorts,
  type Due,
  decideFires,
  noFires,
  withoutQuota,
  withoutStart,
} from './decide-fires.ts';
import type { DuePlace, DueSchedule, Fires, FiresStored, SchedulePorts } from './schedule-ports.ts';

export type FirePorts = DecidePorts &
  SchedulePorts & {
    readonly endpoints: Endpoints;
    readonly accounts: Accounts;
    readonly agents: AgentDirectory;
    readonly hubs: Hubs;
  } & {
    readonly executions: RunningExecutions;
    readonly queue: ExecutionQueue;
    readonly reportBug: (error: unknown) => unknown;
  };

/** So many are put on record together. */
const PAGE = 500;
/** How long a fire without an agent here is left to the other hubs, one of which may have it. */
const LEFT_TO_OTHERS_MS = 10_000;

/** So long agents may take to be back after a hub has started: until then it does not know who is offline. */
const AGENTS_BACK_MS = 30_000;

/** Nobody calls: what is required has a default, which the agent knows. */
const NO_VALUES = { args: {}, secrets: {} };

/** A fire that is left to the other hubs, and until when. */
interface Left {
  readonly dueMs: number;
  readonly untilMs: number;
}

/** What one walk through the due schedules starts from. */
interface Walk {
  /** There are other hubs, or were until just now. */
  readonly hasOthers: boolean;
  /** By endpoint, what the walk before left to them. */
  readonly left: ReadonlyMap<string, Left>;
}

/** What the schedules of a page are about. */
interface Known {
  readonly targets: ReadonlyMap<string, RegisteredEndpoint>;
  readonly workspaces: ReadonlyMap<string, Workspace | undefined>;
}

/**
 * Fires the schedules that are due (decision 37).
 *
 * Hubs share the work without asking each other: a fire starts at a hub that has its agent, and whoever moves the schedule on
 * first has it. One whose agent nobody has is put on record as missed when the others have had their time.
 */
export class FireSchedules {
  readonly #ports: FirePorts;
  readonly #sinceMs: number;
  #left = new Map<string, Left>();

  constructor(ports: FirePorts) {
    this.#ports = ports;
    this.#sinceMs = ports.clock.nowMs();
  }

  /** All that is due now; answers when to look again, where that is before the next minute. */
  async run(): Promise<number | undefined> {
    const { clock, schedules, hubs, hubId } = this.#ports;
    const hasOthers = [...(await hubs.beats()).keys()].some((id) => id !== hubId);
    const walk: Walk = { hasOthers, left: this.#left };
    this.#left = new Map();
    let after: DuePlace | undefined;
    do {
      const page = await schedules.due(clock.nowMs(), after, PAGE);
      await this.#firePage(page, walk);
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined);
    const times = [...this.#left.values()].map(({ untilMs }) => untilMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** A row that cannot be read must not stop the others: a page that fails is taken in halves. */
  async #firePage(page: readonly DueSchedule[], walk: Walk): Promise<void> {
    let known: Known;
    try {
      known = await this.#knownOf(page);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      if (page.length < 2) {
        this.#ports.reportBug(error);
        return;
      }
      const middle = page.length >> 1;
      await this.#firePage(page.slice(0, middle), walk);
      await this.#firePage(page.slice(middle), walk);
      return;
    }
    await Promise.all(page.map((schedule) => this.#fire(schedule, known, walk).catch(this.#ports.reportBug)));
  }

  async #knownOf(page: readonly DueSchedule[]): Promise<Known> {
    const { endpoints, accounts } = this.#ports;
    const ids = [...new Set(page.map(({ workspaceId }) => workspaceId))];
    const [targets, workspaces] = await Promise.all([
      endpoints.byIds(page.map(({ endpointId }) => endpointId)),
      Promise.all(ids.map(async (id) => [id, await accounts.workspaceById(id)] as const)),
    ]);
    return { targets, workspaces: new Map(workspaces) };
  }

  async #fire(schedule: DueSchedule, { targets, workspaces }: Known, walk: Walk): Promise<void> {
    const { clock, schedules } = this.#ports;
    const nowMs = clock.nowMs();
    const workspace = workspaces.get(schedule.workspaceId);
    const target = workspace && targets.get(schedule.endpointId);
    if (workspace === undefined || target?.endpoint.schedule !== schedule.expression)
      return await schedules.correct(schedule, target?.endpoint.schedule, nowMs);
    if (isBeyondCap(schedule.earlier, workspace.plan)) {
      await schedules.record(schedule, noFires(schedule, nowMs));
      return;
    }
    const process = this.#processFor(schedule, target, walk);
    if (process === undefined && this.#leave(schedule, walk, nowMs)) return;
    const agentsKnownSinceMs = walk.hasOthers ? 0 : this.#sinceMs + AGENTS_BACK_MS;
    const due = { schedule, target, workspace, process, agentsKnownSinceMs, nowMs };
    const fires = decideFires(this.#ports, due);
    const giveBack = this.#hold(due, fires);
    try {
      await this.#record(due, fires);
    } finally {
      giveBack();
    }
  }

  /** An agent that came while a fire was left to the other hubs was not there when it was due. */
  #processFor(
    { endpointId, nextFireAtMs }: DueSchedule,
    target: RegisteredEndpoint,
    { left }: Walk,
  ): AgentProcess | undefined {
    const wasLeft = left.get(endpointId)?.dueMs === nextFireAtMs;
    return wasLeft ? undefined : this.#ports.agents.choose(target);
  }

  /** What is about to be given to an agent counts at it and at its endpoint: a page of fires is decided on at once. */
  #hold({ process, target }: Due, { start }: Fires): () => void {
    if (process === undefined || start?.execution.state !== 'running') return () => undefined;
    const { executions, agents } = this.#ports;
    const holds = [executions.hold(target.id), agents.hold(process)];
    return () => {
      for (const letGo of holds) letGo();
    };
  }

  /** True while one of the other hubs may have its agent. */
  #leave({ endpointId, nextFireAtMs: dueMs }: DueSchedule, { hasOthers }: Walk, nowMs: number): boolean {
    const untilMs = Math.max(dueMs, this.#sinceMs) + LEFT_TO_OTHERS_MS;
    if (!hasOthers || nowMs >= untilMs) return false;
    this.#left.set(endpointId, { dueMs, untilMs });
    return true;
  }

  async #record(due: Due, fires: Fires): Promise<void> {
    switch (await this.#stored(due, fires)) {
      case 'stored':
        this.#start(due, fires);
        return;
      case 'quota_exceeded':
        return await this.#record(due, withoutQuota(this.#ports, due.target, fires));
      case 'fired_already':
        await this.#stored(due, withoutStart(this.#ports, fires));
        return;
      case 'overtaken':
        return;
    }
  }

  /** NOTE: Until the store says what it has: what is on record as queued, and in no queue, would never run. */
  #stored({ schedule }: Due, fires: Fires): Promise<FiresStored> {
    const { clock, schedules } = this.#ports;
    return untilAnswered(clock, () => schedules.record(schedule, fires));
  }

  #start({ process, target, agentsKnownSinceMs }: Due, { start }: Fires): void {
    const { queue, reportBug } = this.#ports;
    if (start === undefined || start.approval !== undefined) return;
    const { execution } = start;
    if (process !== undefined && execution.state === 'running') {
      const definition = sentDefinition(target, process.name);
      giveToAgent(this.#ports, process, { execution, definition, values: NO_VALUES });
      return;
    }
    const wasHubUp = execution.scheduledForMs >= agentsKnownSinceMs;
    queue.add(execution, fireWaitLimit(execution.scheduledForMs, { wasHubUp })).catch(reportBug);
  }
}
