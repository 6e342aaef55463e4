import { NEXT_FIRES } from '@svc/core/api/routes/schedules';
import { isBeyondCap } from '@svc/core/schedule/cap';
import { parseCron } from '@svc/core/schedule/cron';
import { cronWords } from '@svc/core/schedule/cron-words';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type Principal, seesSlug } from '../http/principal.ts';
import { time } from '../platform/http/json-response.ts';
import { pageOf } from '../platform/page-of-items.ts';
import type { Clock } from '../platform/world.ts';
import {
  comingFires,
  type EndpointSchedule,
  pauseSchedule,
  resumeSchedule,
  schedulesOf,
} from './manage-schedules.ts';
import type { LastFire, Schedules } from './schedule-ports.ts';

export interface ScheduleRoutesDeps {
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly endpoints: Endpoints;
  readonly schedules: Schedules;
}

type Routes = Pick<Handlers, 'listSchedules' | 'pauseSchedule' | 'resumeSchedule'>;

/** Handlers of schedules (reference 3.3, decision 37, schedules). */
export function scheduleRoutes(deps: ScheduleRoutesDeps): Routes {
  return {
    async listSchedules({ acting, query }) {
      const ofWorkspace = await schedulesOf(deps, acting.workspace.id);
      const all = ofWorkspace.filter(({ target }) => seesSlug(acting, target.endpoint.slug));
      const { items, next_cursor } = pageOf(all, ({ target }) => target.endpoint.slug, query);
      return { items: await described(deps, acting, items), next_cursor };
    },
    async pauseSchedule({ request, acting, parameters: { name } }) {
      const paused = await pauseSchedule(deps, who(deps, request, acting), name);
      return await describedOne(deps, acting, paused);
    },
    async resumeSchedule({ request, acting, parameters: { name } }) {
      const resumed = await resumeSchedule(deps, who(deps, request, acting), name);
      return await describedOne(deps, acting, resumed);
    },
  };
}

async function described(
  deps: ScheduleRoutesDeps,
  { workspace }: Principal,
  items: readonly EndpointSchedule[],
) {
  const nowMs = deps.clock.nowMs();
  const { fired, missed } = await deps.schedules.lastFires(items.map(({ target }) => target.id));
  return items.map(({ schedule, target }) => {
    const isIgnored = isBeyondCap(schedule.earlier, workspace.plan);
    const state = isIgnored ? 'ignored' : schedule.state;
    const cron = parseCron(schedule.expression);
    const next = state === 'active' ? comingFires(schedule.expression, nowMs, NEXT_FIRES) : [];
    return {
      endpoint: target.endpoint.slug,
      schedule: schedule.expression,
      words: cron.kind === 'cron' ? cronWords(cron.fields) : cron.message,
      state,
      next_fires: next.map((atMs) => time(atMs)),
      last_fire: describeFire(fired.get(target.id)),
      last_missed: describeFire(missed.get(target.id)),
      registered_at: time(schedule.registeredAtMs),
    } as const;
  });
}

async function describedOne(deps: ScheduleRoutesDeps, acting: Principal, one: EndpointSchedule) {
  const [description] = await described(deps, acting, [one]);
  if (description === undefined) throw new Error('a schedule that was there has no description');
  return description;
}

function describeFire(fire: LastFire | undefined) {
  if (fire === undefined) return null;
  const { executionId, scheduledForMs, state, reason, missedFires } = fire;
  return {
    execution_id: executionId,
    scheduled_for: time(scheduledForMs),
    status: state,
    reason,
    missed_fires: missedFires,
  };
}

function who(deps: ScheduleRoutesDeps, request: Request, { workspace, member }: Principal) {
  return { workspaceId: workspace.id, by: sourceOf(deps, request, member) };
}
