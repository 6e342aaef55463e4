import { z } from 'zod';
import { member } from '../contract/access.ts';
import { eventsOf } from '../contract/answer.ts';
import { liveEventMessage } from '../contract/news-schema.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_EXECUTION_ID } from './examples.ts';

const EXAMPLE = [
  { type: 'ready' },
  {
    type: 'execution',
    execution_id: EXAMPLE_EXECUTION_ID,
    endpoint: 'deploy',
    status: 'running',
    trigger: 'call',
  },
] satisfies z.input<typeof liveEventMessage>[];

/** What happens in a workspace while somebody looks. */
export const liveEventRouteRows = {
  streamNews: {
    method: 'GET',
    path: '/events',
    summary: 'Follow what happens in the workspace',
    description:
      'For dashboards: small events that say what to read again, as far as the role may know of it. Open it, then read; ' +
      '`reset` says that something was missed. Each event has an `id:`; whoever comes back soon sends the last one as ' +
      '`Last-Event-ID` or `?after=`. What happens often is told together, a few times in a second at most.',
    access: member('endpoint.view'),
    query: z.strictObject({
      after: z
        .string()
        .max(100, { error: 'the id of an event of this stream' })
        .optional()
        .describe('The id of the last event that was read.'),
    }),
    headers: { 'Last-Event-ID': 'The same as `?after=`, which it overrules.' },
    answers: { 200: eventsOf(liveEventMessage, EXAMPLE, 'The events, as long as the credential works.') },
    refusals: ['concurrency_limited'],
  },
} as const satisfies Routes;
