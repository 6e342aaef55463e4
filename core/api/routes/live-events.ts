import { z } from 'zod';
import { byEndpoint, member } from '../contract/access.ts';
import { eventsOf } from '../contract/answer.ts';
import { liveEventMessage } from '../contract/live-event-message.ts';
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

/** The live events of a workspace. */
export const liveEventRouteRows = {
  streamNews: {
    method: 'GET',
    path: '/events',
    summary: 'Follow the live events of the workspace',
    description:
      'For dashboards: small events that say what to read again, within the permissions of the role. Open the stream, then read; ' +
      '`reset` means that events are missing. Each event has an `id:`. To resume soon after, send the last one as ' +
      '`Last-Event-ID` or `?after=`. Frequent events are combined, at most a few times per second.',
    access: byEndpoint(member('endpoint.view'), 'view'),
    query: z.strictObject({
      after: z
        .string()
        .max(100, { error: 'the id of an event of this stream' })
        .optional()
        .describe('The id of the last event that you read.'),
    }),
    headers: { 'Last-Event-ID': 'The same as `?after=`, and takes precedence.' },
    answers: { 200: eventsOf(liveEventMessage, EXAMPLE, 'The events, as long as the credential is valid.') },
    refusals: ['concurrency_limited'],
  },
} as const satisfies Routes;
