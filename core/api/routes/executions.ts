import { z } from 'zod';
import { MAX_LAST_EVENTS } from '../../execution/skipped-output.ts';
import { EXECUTION_STATES, REASONS } from '../../execution/state.ts';
import { EXECUTION_READER } from '../contract/access.ts';
import { empty, events, json, media } from '../contract/answer.ts';
import { executionStreamEvent } from '../contract/event-schema.ts';
import {
  boundedPageOf,
  executionStatus,
  givenTime,
  ID,
  oneOf,
  PAGE_QUERY,
  someOf,
  TIME,
  wholeNumberText,
} from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ACCEPTED } from './calls.ts';
import { EXAMPLE_EXECUTION_ID, EXAMPLE_TIME } from './examples.ts';
import { receivedFile } from './received-file.ts';

/** How an execution begins. */
const TRIGGERS = ['call', 'dashboard', 'schedule', 'pipeline', 'mcp', 'choices'] as const;

const MAX_ARGUMENT_CHARS = 1_000;
const MAX_SEARCH_CHARS = 200;

const execution = z
  .strictObject({
    execution_id: ID,
    endpoint: z.string().describe('The slug of the endpoint.'),
    status: executionStatus,
    reason: z.enum(REASONS).optional().describe('Why it was rejected or missed.'),
    scheduled_for: TIME.optional().describe('The fire time of the schedule.'),
    missed_fires: z
      .int()
      .optional()
      .describe('Set if the record stands for several missed fires: how many, from `scheduled_for` on.'),
    late: z
      .literal(true)
      .optional()
      .describe('The execution was lost before its agent reconnected with the result.'),
    trigger: z.enum(TRIGGERS),
    run_id: ID.optional().describe('The pipeline run, if the execution is a step.'),
    step: z.string().optional().describe('The id of that step.'),
    exit_code: z.int().optional(),
    duration_ms: z.int().optional(),
    error: z.string().optional().describe('Why there is no result, for people.'),
    code: z.string().optional().describe('Why there is no result, for programs: the code of an error.'),
    created_at: TIME,
    started_at: TIME.nullable(),
    ended_at: TIME.nullable(),
    agent_name: z.string().nullable().describe('The agent that ran it.'),
    endpoint_version: z
      .int()
      .nullable()
      .describe('The version of the endpoint that was called. `/executions/{id}/definition` shows it.'),
    status_url: z.string(),
    stream_url: z.string(),
  })
  .meta({ id: 'Execution', description: 'One run of one endpoint.' });

const requestedBy = z.string().describe('The caller, in words for people.');

const listedExecution = execution
  .extend({
    requested_by: requestedBy,
    caller_id: ID.optional().describe('The member or API key that started it. Absent: neither did.'),
    args: z
      .record(z.string(), z.string().nullable())
      .optional()
      .describe(
        'With `with=args` in the query: the values of the call, each of at most 201 characters; null: the value is secret and not stored.',
      ),
    output_line: z
      .string()
      .optional()
      .describe(
        'With `output` in the query: a line of the output with the words, as text of at most 202 characters.',
      ),
  })
  .meta({ id: 'ListedExecution' });

const executionPage = boundedPageOf(listedExecution).extend({
  unsearched_before: TIME.optional().describe(
    'With `output` in the query: executions created before this time are not indexed yet.',
  ),
  unsearched_from: TIME.optional().describe('The same for executions created at this time or later.'),
});

const executionWithResult = execution
  .extend({
    requested_by: requestedBy,
    args: z
      .record(z.string(), z.string().nullable())
      .describe('The values of the call; null: the value is secret and not stored.'),
    files: z
      .array(receivedFile)
      .optional()
      .describe(
        'The files that the command got, once it has ended; for a call with approval those that were approved. `stdin` is a body. The files themselves are not kept.',
      ),
    output: z.string().optional().describe('The output of the command, up to 1 MiB.'),
    encoding: z.literal('base64').optional().describe('`output` is raw stdout, as base64.'),
    data: z.unknown().optional().describe('The result of the transform, instead of `output`.'),
    line_times: z
      .array(z.tuple([z.int(), z.int()]))
      .optional()
      .describe(
        'When the output was written, with `with=line_times` after the execution has ended. Each pair is the number of an `output` event, from 1, and milliseconds after `started_at`. An event between two pairs has the time of the pair before it. Pairs are at least 100 ms apart, and further apart when there would be more than 1,000. Absent when there is no output, when the output is the result of a transform, when the agent lost the execution, and when the agent is of an earlier version.',
      ),
    truncated: z
      .literal(true)
      .optional()
      .describe('Set if the output is longer. `/executions/{id}/output` has the whole output.'),
  })
  .meta({ id: 'ExecutionWithResult', description: 'An execution, with its result once it has ended.' });

const EXAMPLE = {
  execution_id: EXAMPLE_EXECUTION_ID,
  endpoint: 'deploy',
  status: 'succeeded',
  trigger: 'call',
  exit_code: 0,
  duration_ms: 1_250,
  created_at: EXAMPLE_TIME,
  started_at: EXAMPLE_TIME,
  ended_at: EXAMPLE_TIME,
  agent_name: 'default',
  endpoint_version: 3,
  status_url: EXAMPLE_ACCEPTED.status_url,
  stream_url: EXAMPLE_ACCEPTED.stream_url,
} satisfies z.input<typeof execution>;

const withReadToken = z.strictObject({
  token: z
    .string()
    .optional()
    .describe('The read token of a call without a key. The URLs in the answer to such a call contain it.'),
});

const shownParts = withReadToken.extend({
  without: oneOf(['result']).optional().describe('`result`: leaves out the result, which may be long.'),
  with: oneOf(['line_times']).optional().describe('`line_times`: adds the times of the output.'),
});

/**
 * Executions, for callers and members (decision 14, nothing runs before its record, and decision 20, asynchronous calls and
 * records).
 */
export const executionRouteRows = {
  listExecutions: {
    method: 'GET',
    path: '/executions',
    summary: 'List executions, newest first',
    description:
      'A key sees the executions that it started. A member sees all of the workspace. One read scans at most 10,000 records, so a page can be short or empty; `partial` is then true.',
    access: { kind: 'caller', credentials: ['api_key', 'session', 'personal'] },
    compression: { notWith: 'output' },
    query: z.strictObject({
      ...PAGE_QUERY,
      endpoint: z.string().optional().describe('Only executions of the endpoint with this slug.'),
      status: someOf(EXECUTION_STATES)
        .optional()
        .describe('Only executions in this state, or in one of several: `failed,timed_out`.'),
      trigger: oneOf(TRIGGERS).optional().describe('Only executions with this trigger.'),
      agent: z.string().optional().describe('Only executions of the agent with this name.'),
      caller: z
        .string()
        .optional()
        .describe('Only executions that this member or API key started: the `caller_id` of an execution.'),
      arg: z
        .string()
        .regex(/^[^=]+=/, { error: 'a name and a value, such as branch=main,' })
        .max(MAX_ARGUMENT_CHARS, { error: `at most ${MAX_ARGUMENT_CHARS} characters` })
        .optional()
        .describe(
          'Only executions called with exactly this value: `branch=main`. Secret values are not stored, so none matches.',
        ),
      output: z
        .string()
        .min(1, { error: 'words to search for' })
        .max(MAX_SEARCH_CHARS, { error: `at most ${MAX_SEARCH_CHARS} characters` })
        .optional()
        .describe(
          'Only executions whose stored output has all of these words (at most 10), in any order, in upper or lower case. The first and the last 32 KiB of each output are indexed, some seconds after it ended. A page then has at most 20 executions.',
        ),
      with: oneOf(['args']).optional().describe('`args`: adds the values of each call.'),
      from: givenTime().optional().describe('Only executions that began at or after this time.'),
      until: givenTime().optional().describe('Only executions that began before this time.'),
    }),
    answers: {
      200: json('The executions.', executionPage, {
        items: [{ ...EXAMPLE, requested_by: 'key "ci" of ada@example.com' }],
        next_cursor: null,
      }),
    },
    refusals: ['not_supported'],
  },
  showExecution: {
    method: 'GET',
    path: '/executions/{id}',
    summary: 'Show an execution',
    access: EXECUTION_READER,
    query: shownParts,
    answers: {
      200: json('The execution.', executionWithResult, {
        ...EXAMPLE,
        requested_by: 'key "ci" of ada@example.com',
        args: { branch: 'main' },
        output: 'deployed main\n',
      }),
    },
  },
  streamExecution: {
    method: 'GET',
    path: '/executions/{id}/stream',
    summary: 'Read and follow the events of an execution',
    description:
      'Each event has an `id:`. To resume, send the last one as `Last-Event-ID` or `?after=`. For the end of a long output, ask for its `last` events, and then for those `before` the first of them.',
    access: EXECUTION_READER,
    query: withReadToken.extend({
      after: z.string().optional().describe('The id of the last event that you read.'),
      last: wholeNumberText(1, MAX_LAST_EVENTS)
        .optional()
        .describe(
          'Starts with the last stored `output` events, at most this many. If events are left out, a `skipped` event comes first (never with `before`). Cannot be combined with `after`; `Last-Event-ID` takes precedence.',
        ),
      before: z
        .string()
        .optional()
        .describe(
          'Only stored `output` events before the one with this id; `end`: all that are stored now. The stream then ends without `done`, and an `error` in it means that events are missing.',
        ),
    }),
    headers: { 'Last-Event-ID': 'The same as `?after=`, and takes precedence.' },
    answers: {
      200: {
        ...events('The events, from the first, after the given one, or as many as are asked for.'),
        eventSchema: executionStreamEvent,
      },
      204: empty('The given event was the last one.'),
    },
  },
  readOutput: {
    method: 'GET',
    path: '/executions/{id}/output',
    summary: 'Read the output of an execution',
    access: EXECUTION_READER,
    query: withReadToken.extend({
      stream: oneOf(['stdout', 'stderr'])
        .optional()
        .describe(
          'Only this stream, where the endpoint separates the two. Raw stdout is then its bytes; a connection that breaks before the end means that some were not kept.',
        ),
    }),
    answers: {
      200: { ...media('text/plain', 'The stored output, as text.', 'deployed main\n'), anyBytes: true },
    },
  },
  cancelExecution: {
    method: 'POST',
    path: '/executions/{id}/cancel',
    summary: 'Cancel an execution',
    description: 'An execution that has ended does not change.',
    access: EXECUTION_READER,
    query: withReadToken,
    answers: {
      202: json('The agent has the order to stop the command.', execution, {
        ...EXAMPLE,
        status: 'cancelled',
      }),
    },
  },
} as const satisfies Routes;
