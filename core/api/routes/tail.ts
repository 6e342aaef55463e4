import { z } from 'zod';
import { eventsOf } from '../contract/answer.ts';
import { oneOf } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { tailMessage } from '../contract/tail-message.ts';
import { EXAMPLE_EXECUTION_ID } from './examples.ts';

const MAX_TEXT_CHARS = 200;

const EXAMPLE = [
  { type: 'ready' },
  { type: 'line', execution_id: EXAMPLE_EXECUTION_ID, endpoint: 'deploy', data: 'step 1 of 3' },
  { type: 'dropped', lines: 1_200 },
] satisfies z.input<typeof tailMessage>[];

/** A text in the query with a bounded length. */
function shortText(maxChars: number) {
  const error = `1 to ${maxChars} characters`;
  return z.string({ error }).min(1, { error }).max(maxChars, { error });
}

/** The output of all executions of a workspace in one stream. */
export const tailRouteRows = {
  tailOutput: {
    method: 'GET',
    path: '/tail',
    summary: 'Follow the output of all executions',
    description:
      'A key follows the executions that it started. A member follows all of the workspace. Lines of one execution arrive in order. The stream shows new output and keeps none. If there is more output than the stream or its reader takes, the hub drops lines and counts them in `dropped`, and no command waits. `/executions/{id}/output` has the whole output of one execution.',
    access: { kind: 'caller', credentials: ['api_key', 'session', 'personal'] },
    query: z.strictObject({
      endpoint: shortText(100).optional().describe('Only output of the endpoint with this slug.'),
      agent: shortText(100).optional().describe('Only output of the agent with this name.'),
      stream: oneOf(['stderr'])
        .optional()
        .describe('Only lines of stderr, of endpoints that separate the two streams.'),
      text: shortText(MAX_TEXT_CHARS)
        .optional()
        .describe('Only lines that contain this text, in upper or lower case.'),
    }),
    answers: { 200: eventsOf(tailMessage, EXAMPLE, 'The lines, as long as the credential is valid.') },
    refusals: ['concurrency_limited'],
  },
} as const satisfies Routes;
