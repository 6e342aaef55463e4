import { z } from 'zod';
import { LIMITS } from '../../plan/limits.ts';
import { byEndpoint, member } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { wholeNumberText } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';

const choices = z
  .strictObject({
    items: z.array(
      z.strictObject({
        value: z.string().describe('What a call sends.'),
        label: z.string().optional().describe('What people read instead.'),
      }),
    ),
    total: z.int().describe('How many values the search finds; `items` has the first of them.'),
  })
  .meta({ id: 'Choices', description: 'The values that an argument accepts now.' });

/** The lists of arguments with `choices_from` (decision 69, choices from an endpoint). */
export const choiceRouteRows = {
  listChoices: {
    method: 'GET',
    path: '/endpoints/{name}/choices/{argument}',
    summary: 'List the values that an argument accepts',
    description:
      'For an argument with `choices_from`: calls that endpoint with the rights of the member, as an execution with the trigger ' +
      '`choices`, and keeps its list for `choices_ttl`. A session of a browser also needs the header `X-Requested-With` or ' +
      '`Sec-Fetch-Site: same-origin`: a page of another site cannot send it.',
    access: byEndpoint(member('endpoint.execute'), 'run'),
    query: z.strictObject({
      values: z
        .string()
        .max(LIMITS.valuesTotalBytes)
        .optional()
        .describe('The values of the other arguments as a JSON object. A list can depend on them.'),
      search: z
        .string()
        .max(100, { error: 'up to 100 characters' })
        .default('')
        .describe('Only values whose value or label contains this text, ignoring case.'),
      limit: wholeNumberText(1, LIMITS.listedChoices)
        .default(100)
        .describe('The most values to answer with.'),
    }),
    answers: {
      200: json('The values.', choices, { items: [{ value: 'eu-1', label: 'Frankfurt' }], total: 1 }),
    },
    refusals: ['invalid_argument', 'agent_offline', 'timeout', 'unavailable'],
  },
} as const satisfies Routes;
