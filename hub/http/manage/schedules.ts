import { NEXT_FIRES } from '@svc/core/api/routes/schedules';
import { isBeyondCap } from '@svc/core/schedule/cap';
import { parseCron } from '@svc/core/schedule/cron';
import { cronWords } from '@svc/core/schedule/cron-words';
import type { LastFire } from '../../engine/ports/schedules.ts';
import {
  comingFires,
  type EndpointSchedule,
  pauseSchedule,
  resumeSchedule,
  schedulesOf,
} from '../../engine/schedule/manage-schedules.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import type { Acting } from '../routes/identity.ts';
import { pageOf } from '../routes/page-of.ts';
import { time } from '../time.ts';

type Routes = Pick<Handlers, 'listSchedules' | 'pauseSchedule' | 'resumeSchedule'>;

/** Endpoints that run by themselves (reference 3.3, decision 37). */
export function scheduleRoutes(context: HubContext): Routes {
  return {
    async listSchedules({ acting, query }) {
      const all = await schedulesOf(context, acting.workspace.id);
      const { items, next_cursor } = pageOf(all, ({ target }) => target.endpoint.slug, query);
      return { items: await described(context, acting, items), next_cursor };
    },
    async pauseSchedule({ request, acting, parameters: { name } }) {
      const paused = await pauseSchedule(context, who(context, request, acting), name);
      return await describedOne(context, acting, paused);
    },
    async resumeSchedule({ request, acting, parameters: { name } }) {
      const resumed = await resumeSchedule(context, who(context, request, acting), name);
      return await describedOne(context, acting, resumed);
    },
  };
}

async function described(context: HubContext, { workspace }: Acting, items: readonly EndpointSchedule[]) {
  const nowMs = context.clock.nowMs();
  const { fired, missed } = await context.schedules.lastFires(items.map(({ target }) => target.id));
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

async function describedOne(context: HubContext, acting: Acting, one: EndpointSchedule) {
  const [description] = await described(context, acting, [one]);
  if (description === undefined) throw new Error('a schedule that was there has no description');
  return description;
}

function describeFire(fire: LastFire | undefined) {
  if (fire === undefined) return null;
  const { executionId, scheduledForMs, state, reason } = fire;
  return { execution_id: executionId, scheduled_for: time(scheduledForMs), status: state, reason };
}

function who(context: HubContext, request: Request, { workspace, member }: Acting) {
  return { workspaceId: workspace.id, by: sourceOf(context, request, member) };
}
