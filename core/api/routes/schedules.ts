import { z } from 'zod';
import { EXECUTION_STATES, REASONS } from '../../execution/state.ts';
import { member } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { ID, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_EXECUTION_ID, EXAMPLE_TIME } from './examples.ts';

/** How many of the coming fires are told. */
export const NEXT_FIRES = 5;

const lastFire = z
  .strictObject({
    execution_id: ID,
    scheduled_for: TIME,
    status: z.enum(EXECUTION_STATES),
    reason: z.enum(REASONS).optional().describe('Why it did not run.'),
  })
  .meta({ id: 'Fire', description: 'A fire of a schedule: the execution that it made.' });

const schedule = z
  .strictObject({
    endpoint: z.string().describe('The slug of the endpoint.'),
    schedule: z.string().describe('Five fields of cron, in UTC.'),
    words: z.string().describe('What that means, for people.'),
    state: z
      .enum(['active', 'paused', 'ignored'])
      .describe('`ignored`: the plan allows no more; those registered earlier go on.'),
    next_fires: z.array(TIME).describe(`The next ${NEXT_FIRES}; none while it is paused or ignored.`),
    last_fire: lastFire.nullable().describe('The last one that ran, or was to.'),
    last_missed: lastFire.nullable().describe('The last one that did not start.'),
    registered_at: TIME,
  })
  .meta({ id: 'Schedule', description: 'An endpoint that runs by itself.' });

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

/** Endpoints that run by the clock (reference 3.3, decision 37). The schedule itself is a field of the endpoint. */
export const scheduleRouteRows = {
  listSchedules: {
    method: 'GET',
    path: '/schedules',
    summary: 'List schedules',
    access: member('endpoint.view'),
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('By the slug.', pageSchema(schedule), { items: [EXAMPLE], next_cursor: null }) },
  },
  pauseSchedule: {
    method: 'POST',
    path: '/schedules/{name}/pause',
    summary: 'Pause a schedule',
    description: 'It fires no more until it is resumed; calls go on. One that is paused stays so.',
    access: member('endpoint.edit'),
    answers: { 200: json('It is paused.', schedule, { ...EXAMPLE, state: 'paused', next_fires: [] }) },
  },
  resumeSchedule: {
    method: 'POST',
    path: '/schedules/{name}/resume',
    summary: 'Resume a schedule',
    description: 'It goes on with its next fire time; nothing is made up for.',
    access: member('endpoint.edit'),
    answers: { 200: json('It is active.', schedule, EXAMPLE) },
  },
} as const satisfies Routes;
