import { z } from 'zod';
import { PLANS } from '../../plan/plans.ts';
import { byEndpoint, member } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';

const hostedUsage = z
  .strictObject({
    period: z.string().describe('The month in UTC, such as `2026-11`.'),
    used: z.int().describe('Executions on the hosted runner in this month.'),
    limit: z.int().describe('0: the plan has no hosted runner.'),
    remaining: z.int(),
    resets_at: TIME.describe('When the next month begins.'),
    concurrent: z.strictObject({ running: z.int(), limit: z.int() }),
    plan: z.enum(PLANS),
    limits: z
      .strictObject({ vcpus: z.int(), memory_bytes: z.int(), timeout_s: z.int() })
      .nullable()
      .describe('The limits of one execution. A longer `timeout` of an endpoint is reduced to this one.'),
    available: z.boolean().describe('A host of the hosted runner is connected, so calls can run now.'),
  })
  .meta({ id: 'HostedUsage', description: 'The usage of the hosted runner by the workspace.' });

/** The hosted runner of a workspace (references 2.9 and 4.2, decision 47, answers of the management API). */
export const hostedRouteRows = {
  showHostedUsage: {
    method: 'GET',
    path: '/hosted/usage',
    summary: 'Show the usage of the hosted runner',
    access: byEndpoint(member('endpoint.view'), 'view'),
    answers: {
      200: json('The usage of this month.', hostedUsage, {
        period: '2026-11',
        used: 12,
        limit: 5_000,
        remaining: 4_988,
        resets_at: '2026-12-01T00:00:00.000Z',
        concurrent: { running: 1, limit: 5 },
        plan: 'pro',
        limits: { vcpus: 1, memory_bytes: 536_870_912, timeout_s: 120 },
        available: true,
      }),
    },
  },
} as const satisfies Routes;
