import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { parseCron } from '@svc/core/schedule/cron';
import { nextFires } from '@svc/core/schedule/fire-times';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Clock } from '../platform/world.ts';
import type { Schedule, ScheduleDeps } from './schedule-ports.ts';

type ManageDeps = ScheduleDeps & { readonly endpoints: Endpoints; readonly clock: Clock };

/** A schedule with its endpoint. */
export interface EndpointSchedule {
  readonly schedule: Schedule;
  readonly target: RegisteredEndpoint;
}

interface InWorkspace {
  readonly workspaceId: string;
  readonly by: AuditSource;
}

/** All schedules of a workspace. */
export async function schedulesOf(
  { schedules, endpoints }: ManageDeps,
  workspaceId: string,
): Promise<EndpointSchedule[]> {
  const all = await schedules.ofWorkspace(workspaceId);
  const targets = await endpoints.byIds(all.map(({ endpointId }) => endpointId));
  return all.flatMap((schedule) => {
    const target = targets.get(schedule.endpointId);
    return target === undefined ? [] : [{ schedule, target }];
  });
}

/** Pauses a schedule: nothing fires until it is resumed, and the expression stays (reference 3.3). */
export async function pauseSchedule(
  deps: ManageDeps,
  who: InWorkspace,
  slug: string,
): Promise<EndpointSchedule> {
  const { target, schedule } = await find(deps, who, slug);
  if (schedule.state === 'active')
    await deps.schedules.pause(target.id, entryOf(deps, who, 'schedule.paused', target));
  return await find(deps, who, slug);
}

/** Resumes a schedule with its next fire time; fires missed during the pause do not run. */
export async function resumeSchedule(
  deps: ManageDeps,
  who: InWorkspace,
  slug: string,
): Promise<EndpointSchedule> {
  const { target, schedule } = await find(deps, who, slug);
  if (schedule.state === 'paused') {
    const [nextMs] = comingFires(schedule.expression, deps.clock.nowMs(), 1);
    await deps.schedules.resume(schedule, nextMs, entryOf(deps, who, 'schedule.resumed', target));
  }
  return await find(deps, who, slug);
}

/** The fire times of an expression after a time; none for an unreadable expression. */
export function comingFires(expression: string, afterMs: number, count: number): number[] {
  const cron = parseCron(expression);
  return cron.kind === 'cron' ? nextFires(cron.fields, afterMs, count) : [];
}

async function find(
  { schedules, endpoints }: ManageDeps,
  { workspaceId }: InWorkspace,
  slug: string,
): Promise<EndpointSchedule> {
  const target = await endpoints.find(workspaceId, slug);
  const schedule = target && (await schedules.find(target.id));
  if (target === undefined || schedule === undefined)
    throw refuse('not_found', 'there is no such endpoint, or it has no schedule');
  return { target, schedule };
}

function entryOf(
  { clock }: ManageDeps,
  { workspaceId, by }: InWorkspace,
  action: AuditEntry['action'],
  { id, endpoint }: RegisteredEndpoint,
): AuditEntry {
  const target = { kind: 'endpoint', id, name: endpoint.slug } as const;
  const details = { schedule: endpoint.schedule ?? null };
  return { ...by, workspaceId, atMs: clock.nowMs(), action, target, details };
}
