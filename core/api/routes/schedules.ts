import { z } from 'zod';
import { REASONS } from '../../execution/state.ts';
import { byEndpoint, principal } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { executionStatus, ID, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_EXECUTION_ID, EXAMPLE_TIME } from './examples.ts';

/** How many of the next fires are listed. */
export const NEXT_FIRES = 5;

const lastFire = z
  .strictObject({
    execution_id: ID,
    scheduled_for: TIME,
    status: executionStatus,
    reason: z.enum(REASONS).optional().describe('Why the fire did not run.'),
    missed_fires: z
      .int()
      .optional()
      .describe('How many fires in a row this missed one stands for. Absent: one.'),
  })
  .meta({ id: 'Fire', description: 'A fire of a schedule, and its execution.' });

const schedule = z
  .strictObject({
    endpoint: z.string().describe('The slug of the endpoint.'),
    schedule: z.string().describe('Five fields of cron, in UTC.'),
    words: z.string().describe('The schedule in words, for people.'),
    state: z
      .enum(['active', 'paused', 'ignored'])
      .describe('`ignored`: the plan allows no more schedules; those registered earlier stay active.'),
    next_fires: z
      .array(TIME)
      .describe(`The next ${NEXT_FIRES} fires; none while the schedule is paused or ignored.`),
    last_fire: lastFire.nullable().describe('The last fire that started an execution.'),
    last_missed: lastFire.nullable().describe('The last fire that did not start.'),
    registered_at: TIME,
  })
  .meta({ id: 'Schedule', description: 'The schedule of an endpoint.' });

const EXAMPLE = {
  endpoint: 'backup',
  schedule: '0 3 * * *',
  words: 'at 03:00 every day, UTC',
  state: 'active',
  next_fires: ['2026-11-21T03:00:00.000Z', '2026-11-22T03:00:00.000Z'],
  last_fire: {
    execution_id: EXAMPLE_EXECUTION_ID,
    scheduled_for: '2026-11-20T03:00:00.000Z',
    status: 'succeeded',
  },
  last_missed: null,
  registered_at: EXAMPLE_TIME,
} satisfies z.input<typeof schedule>;

/** Schedules (reference 3.3, decision 37, schedules). The schedule itself is a field of the endpoint. */
export const scheduleRouteRows = {
  listSchedules: {
    method: 'GET',
    path: '/schedules',
    summary: 'List schedules',
    access: byEndpoint(principal('endpoint.view'), 'view'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The schedules, by slug.', pageSchema(schedule), { items: [EXAMPLE], next_cursor: null }),
    },
  },
  pauseSchedule: {
    method: 'POST',
    path: '/schedules/{name}/pause',
    summary: 'Pause a schedule',
    description: 'The schedule does not fire until it is resumed. Calls still work.',
    access: principal('endpoint.edit'),
    answers: { 200: json('The paused schedule.', schedule, { ...EXAMPLE, state: 'paused', next_fires: [] }) },
  },
  resumeSchedule: {
    method: 'POST',
    path: '/schedules/{name}/resume',
    summary: 'Resume a schedule',
    description: 'The schedule continues with its next fire time. Fires missed in between do not run.',
    access: principal('endpoint.edit'),
    answers: { 200: json('The active schedule.', schedule, EXAMPLE) },
  },
} as const satisfies Routes;
