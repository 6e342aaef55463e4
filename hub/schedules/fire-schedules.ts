import { isBeyondCap } from '@svc/core/schedule/cap';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import { type Beginning, type Destination, dispatch } from '../dispatch/dispatch.ts';
import { fireWaitLimit } from '../dispatch/end-queued.ts';
import { sentDefinition } from '../dispatch/execution-order.ts';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import { isUnavailable, untilAnswered } from '../platform/until-answered.ts';
import {
  type DecideFiresDeps,
  type Due,
  decideFires,
  noFires,
  withoutQuota,
  withoutStart,
} from './decide-fires.ts';
import type { DuePlace, DueSchedule, Fires, FiresStored, ScheduleDeps } from './schedule-ports.ts';

export type FireDeps = DecideFiresDeps &
  ScheduleDeps & {
    readonly endpoints: Endpoints;
    readonly accounts: Accounts;
    readonly agents: AgentDirectory;
    readonly hubs: Hubs;
  } & {
    readonly executions: RunningExecutions;
    readonly queue: ExecutionQueue;
    readonly reportBug: (error: unknown) => unknown;
  };

const PAGE_SIZE = 500;
/** How long a fire is left to other hubs when its agent is not connected here. */
const OTHER_HUBS_MS = 10_000;

/** Agents may take this long to reconnect after a hub has started: until then the hub does not know which are offline. */
const AGENTS_BACK_MS = 30_000;

/** A fire has no values of its own: the agent fills in the defaults. */
const NO_VALUES = { args: {}, secrets: {} };

/** A fire that is left to other hubs until a time. */
interface Left {
  readonly dueMs: number;
  readonly untilMs: number;
}

/** The facts at the beginning of one pass over the due schedules. */
interface Pass {
  /** Another hub is alive, or was alive recently. */
  readonly hasOthers: boolean;
  /** By endpoint, the fires that the last pass left to other hubs. */
  readonly left: ReadonlyMap<string, Left>;
}

/** The endpoints and workspaces of a page of schedules. */
interface Known {
  readonly targets: ReadonlyMap<string, RegisteredEndpoint>;
  readonly workspaces: ReadonlyMap<string, Workspace | undefined>;
}

/**
 * Fires the schedules that are due (decision 37, schedules).
 *
 * Hubs share the work without messages: a fire starts at a hub that has its agent, and the hub that advances the schedule
 * first has the fire. If no hub has the agent, the fire is stored as missed after the other hubs have had time to take it.
 */
export class FireSchedules {
  readonly #deps: FireDeps;
  readonly #sinceMs: number;
  #left = new Map<string, Left>();

  constructor(deps: FireDeps) {
    this.#deps = deps;
    this.#sinceMs = deps.clock.nowMs();
  }

  /** Fires all due schedules. Returns when to run again, if that is before the next minute. */
  async run(): Promise<number | undefined> {
    const { clock, schedules, hubs, hubId } = this.#deps;
    const hasOthers = [...(await hubs.heartbeats()).keys()].some((id) => id !== hubId);
    const pass: Pass = { hasOthers, left: this.#left };
    this.#left = new Map();
    let after: DuePlace | undefined;
    do {
      const page = await schedules.due(clock.nowMs(), after, PAGE_SIZE);
      await this.#firePage(page, pass);
      after = page.length < PAGE_SIZE ? undefined : page.at(-1);
    } while (after !== undefined);
    const times = [...this.#left.values()].map(({ untilMs }) => untilMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** An unreadable row must not stop the others: a failing page is split in halves. */
  async #firePage(page: readonly DueSchedule[], pass: Pass): Promise<void> {
    let known: Known;
    try {
      known = await this.#knownOf(page);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      if (page.length < 2) {
        this.#deps.reportBug(error);
        return;
      }
      const middle = page.length >> 1;
      await this.#firePage(page.slice(0, middle), pass);
      await this.#firePage(page.slice(middle), pass);
      return;
    }
    await Promise.all(page.map((schedule) => this.#fire(schedule, known, pass).catch(this.#deps.reportBug)));
  }

  async #knownOf(page: readonly DueSchedule[]): Promise<Known> {
    const { endpoints, accounts } = this.#deps;
    const ids = [...new Set(page.map(({ workspaceId }) => workspaceId))];
    const [targets, workspaces] = await Promise.all([
      endpoints.byIds(page.map(({ endpointId }) => endpointId)),
      Promise.all(ids.map(async (id) => [id, await accounts.workspaceById(id)] as const)),
    ]);
    return { targets, workspaces: new Map(workspaces) };
  }

  async #fire(schedule: DueSchedule, { targets, workspaces }: Known, pass: Pass): Promise<void> {
    const { clock, schedules } = this.#deps;
    const nowMs = clock.nowMs();
    const workspace = workspaces.get(schedule.workspaceId);
    const target = workspace && targets.get(schedule.endpointId);
    if (workspace === undefined || target?.endpoint.schedule !== schedule.expression)
      return await schedules.correct(schedule, target?.endpoint.schedule, nowMs);
    if (isBeyondCap(schedule.earlier, workspace.plan)) {
      await schedules.record(schedule, noFires(schedule, nowMs));
      return;
    }
    const process = this.#processFor(schedule, target, pass);
    if (process === undefined && this.#leaveToOtherHubs(schedule, pass, nowMs)) return;
    const agentsKnownSinceMs = pass.hasOthers ? 0 : this.#sinceMs + AGENTS_BACK_MS;
    const due = { schedule, target, workspace, process, agentsKnownSinceMs, nowMs };
    const fires = decideFires(this.#deps, due);
    const destination = destinationOf(due, fires);
    if (destination === undefined) {
      await this.#record(due, fires);
      return;
    }
    // The slot is reserved before anything is awaited, because the fires of a page are decided concurrently.
    await dispatch(this.#deps, destination, () => this.#begin(due, fires, destination));
  }

  /** Stores the fires of the schedule and the started execution, and advances the schedule, in one commit. */
  async #begin(due: Due, fires: Fires, { process }: Destination): Promise<Beginning<NotBegun>> {
    const recorded = await this.#record(due, fires);
    if (recorded?.start === undefined) return { kind: 'not_begun' };
    const definition = sentDefinition(due.target, process.name);
    return { kind: 'begun', execution: recorded.start.execution, definition, values: NO_VALUES };
  }

  /** An agent that connected while the fire was left to other hubs was not connected when the fire was due. */
  #processFor(
    { endpointId, nextFireAtMs }: DueSchedule,
    target: RegisteredEndpoint,
    { left }: Pass,
  ): AgentProcess | undefined {
    const wasLeft = left.get(endpointId)?.dueMs === nextFireAtMs;
    return wasLeft ? undefined : this.#deps.agents.choose(target);
  }

  /** True while another hub may have the agent of the fire. */
  #leaveToOtherHubs(
    { endpointId, nextFireAtMs: dueMs }: DueSchedule,
    { hasOthers }: Pass,
    nowMs: number,
  ): boolean {
    const untilMs = Math.max(dueMs, this.#sinceMs) + OTHER_HUBS_MS;
    if (!hasOthers || nowMs >= untilMs) return false;
    this.#left.set(endpointId, { dueMs, untilMs });
    return true;
  }

  /** Stores the fires. Returns the stored ones; undefined if another hub has stored them. */
  async #record(due: Due, fires: Fires): Promise<Fires | undefined> {
    switch (await this.#store(due, fires)) {
      case 'stored':
        this.#onStored(due, fires);
        return fires;
      case 'quota_exceeded':
        return await this.#record(due, withoutQuota(this.#deps, due.target, fires));
      case 'fired_already':
        await this.#store(due, withoutStart(this.#deps, fires));
        return undefined;
      case 'overtaken':
        return undefined;
    }
  }

  /** NOTE: Repeats until the store answers: an execution that is stored as queued, but in no queue, would never run. */
  #store({ schedule }: Due, fires: Fires): Promise<FiresStored> {
    const { clock, schedules } = this.#deps;
    return untilAnswered(clock, () => schedules.record(schedule, fires));
  }

  #onStored({ agentsKnownSinceMs }: Due, { start }: Fires): void {
    const { queue, reportBug } = this.#deps;
    if (start?.execution.state !== 'queued') return;
    const { execution } = start;
    const wasHubUp = execution.scheduledForMs >= agentsKnownSinceMs;
    queue.add(execution, fireWaitLimit(execution.scheduledForMs, { wasHubUp })).catch(reportBug);
  }
}

type NotBegun = { readonly kind: 'not_begun' };

/** The slot that a fire takes; undefined if nothing starts now, or if the execution is queued or pending approval. */
function destinationOf({ process, target }: Due, { start }: Fires): Destination | undefined {
  if (process === undefined || start?.execution.state !== 'running') return undefined;
  return { process, endpointId: target.id };
}
