import { z } from 'zod';
import { PLANS } from '../../plan/plans.ts';
import { byEndpoint, OWNER, principal } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { oneOf, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';

/** How many months the history has. */
export const USAGE_MONTHS = 12;

const plan = z.enum(PLANS);
const limit = z.int().nullable().describe('Null: no limit.');
const period = z.string().describe('The month in UTC, such as `2026-11`.');
const resetsAt = TIME.describe('When the next month begins.');
const counted = z.strictObject({ used: z.int(), limit });

const usage = z
  .strictObject({
    plan,
    period,
    resets_at: resetsAt,
    executions: counted
      .extend({ remaining: z.int().nullable() })
      .describe('The executions of this month, whoever started them.'),
    seats: counted.describe('Members and pending invitations.'),
    schedules: counted.describe('Endpoints with a schedule.'),
    months: z
      .array(
        z.strictObject({
          period,
          executions: z.int(),
          hosted: z.int().describe('Those of the executions that ran on the hosted runner.'),
        }),
      )
      .describe(`The last months with executions, at most ${USAGE_MONTHS}, newest first.`),
  })
  .meta({ id: 'Usage', description: 'The usage of the plan by the workspace.' });

const newPlan = z.strictObject({ plan: oneOf(PLANS) }).meta({ id: 'NewPlan' });

const changedPlan = z
  .strictObject({
    plan,
    effects: z
      .array(
        z.strictObject({
          what: z.enum(['seats', 'schedules', 'executions', 'hosted']),
          used: z.int(),
          allowed: z.int(),
          message: z.string().describe('What happens to it.'),
        }),
      )
      .describe('Where the workspace exceeds the plan. Nothing is removed.'),
  })
  .meta({ id: 'ChangedPlan' });

const MONTH = { period: '2026-11', resets_at: '2026-12-01T00:00:00.000Z' };

/**
 * Plans and their usage (reference 2.9 and 8, decision 46, plans and quotas, and decision 47, answers of the management
 * API).
 */
export const usageRouteRows = {
  showUsage: {
    method: 'GET',
    path: '/usage',
    summary: 'Show the usage of the plan',
    access: byEndpoint(principal('endpoint.view'), 'view'),
    answers: {
      200: json('The usage of this month.', usage, {
        plan: 'pro',
        ...MONTH,
        executions: { used: 1_204, limit: 50_000, remaining: 48_796 },
        seats: { used: 1, limit: 1 },
        schedules: { used: 2, limit: 3 },
        months: [
          { period: '2026-11', executions: 1_204, hosted: 0 },
          { period: '2026-10', executions: 980, hosted: 12 },
        ],
      }),
    },
  },
  changePlan: {
    method: 'PUT',
    path: '/workspace/plan',
    summary: 'Change the plan',
    description:
      'You can choose `unlimited` only where new workspaces get it; elsewhere only an operator can set it.',
    access: OWNER,
    body: body(newPlan, { plan: 'pro' }),
    answers: {
      200: json('The new plan, in effect at once.', changedPlan, {
        plan: 'pro',
        effects: [
          {
            what: 'seats',
            used: 3,
            allowed: 1,
            message: 'nobody is removed; nobody can be invited or join until there is a seat again',
          },
        ],
      }),
    },
  },
} as const satisfies Routes;
