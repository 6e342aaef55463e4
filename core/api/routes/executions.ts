import { z } from 'zod';
import { EXECUTION_STATES, REASONS } from '../../execution/state.ts';
import { EXECUTION_READER, member } from '../contract/access.ts';
import { empty, events, json, media } from '../contract/answer.ts';
import { body, optionalBody } from '../contract/body.ts';
import { boundedPageOf, givenTime, ID, oneOf, PAGE_QUERY, slug, someOf, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { pendingCall } from './approvals.ts';
import { acceptedExecution, callArguments, EXAMPLE_ACCEPTED } from './calls.ts';
import { EXAMPLE_EXECUTION_ID, EXAMPLE_TIME } from './examples.ts';

/** How an execution begins. */
const TRIGGERS = ['call', 'dashboard', 'schedule', 'pipeline'] as const;

const wanted = z
  .strictObject({
    endpoint: slug().describe('The slug of the endpoint.'),
    args: callArguments.default({}).describe('Values by the names of the arguments.'),
  })
  .meta({ id: 'NewExecution' });

const execution = z
  .strictObject({
    execution_id: ID,
    endpoint: z.string().describe('The slug of the endpoint.'),
    status: z.enum(EXECUTION_STATES),
    reason: z.enum(REASONS).optional().describe('Why it was rejected, or missed.'),
    scheduled_for: TIME.optional().describe('The fire time of the schedule that it is about.'),
    missed_fires: z
      .int()
      .optional()
      .describe('Of a record that stands for several lost fires: how many, from `scheduled_for` on.'),
    late: z.literal(true).optional().describe('It was lost before its agent came back with the result.'),
    trigger: z.enum(TRIGGERS),
    run_id: ID.optional().describe('Of a step: the pipeline run that it belongs to.'),
    step: z.string().optional().describe('Which step of it that is.'),
    exit_code: z.int().optional(),
    duration_ms: z.int().optional(),
    error: z.string().optional().describe('Why there is no result, for people.'),
    code: z.string().optional().describe('The same, for programs: a code as in an error.'),
    created_at: TIME,
    started_at: TIME.nullable(),
    ended_at: TIME.nullable(),
    agent_name: z.string().nullable().describe('The agent that ran it.'),
    endpoint_version: z
      .int()
      .nullable()
      .describe('The version of the endpoint that was called: `/executions/{id}/definition` has it.'),
    status_url: z.string(),
    stream_url: z.string(),
  })
  .meta({ id: 'Execution', description: 'One run of one endpoint.' });

const executionWithResult = execution
  .extend({
    requested_by: z.string().describe('Who called, for people.'),
    args: z
      .record(z.string(), z.string().nullable())
      .describe('The values that it was called with; null: it is secret, and not kept.'),
    output: z.string().optional().describe('What the command printed, up to 1 MiB.'),
    data: z.unknown().optional().describe('What the transform made of it; takes the place of `output`.'),
    truncated: z.literal(true).optional().describe('There is more: `/executions/{id}/output` has it.'),
  })
  .meta({ id: 'ExecutionWithResult', description: 'An execution, and what came of it once it has ended.' });

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
    .describe('The read token of a call without a key; it is in the URLs that such a call is answered with.'),
});

const withoutResult = withReadToken.extend({
  without: oneOf(['result']).optional().describe('`result`: leaves out what came of it, which may be long.'),
});

const STARTED = json(
  'It runs, or waits for approval; the URLs tell what becomes of it.',
  z.union([acceptedExecution, acceptedExecution.extend(pendingCall.shape).meta({ id: 'HeldExecution' })]),
  EXAMPLE_ACCEPTED,
);

const IDEMPOTENT = {
  'Idempotency-Key':
    'A second request with the same key, within 24 hours, begins nothing: 409 while the execution of the first goes on, then its answer.',
} as const;

const START_REFUSALS = [
  'not_found',
  'quota_exceeded',
  'concurrency_limited',
  'agent_offline',
  'agent_refused',
  'secret_not_set',
  'secret_not_allowed',
  'idempotency_in_progress',
  'idempotency_mismatch',
] as const;

/** What callers and members see of executions, and do with them (decisions 14 and 20). */
export const executionRouteRows = {
  startExecution: {
    method: 'POST',
    path: '/executions',
    summary: 'Run an endpoint as a member',
    access: member('endpoint.execute'),
    headers: IDEMPOTENT,
    body: body(wanted, { endpoint: 'deploy', args: { branch: 'main' } }),
    answers: { 202: STARTED },
    refusals: START_REFUSALS,
  },
  runAgain: {
    method: 'POST',
    path: '/executions/{id}/again',
    summary: 'Run what an execution ran once more, as a member',
    description:
      'The endpoint as it is now, with the values of that execution, and with those of `args` in place of them. What was ' +
      'secret is not kept: it has to be given anew.',
    access: member('endpoint.execute'),
    headers: IDEMPOTENT,
    body: optionalBody(
      z
        .strictObject({ args: callArguments.default({}).describe('What is to be another than it was.') })
        .meta({ id: 'AnotherExecution' }),
      {},
    ),
    answers: { 202: STARTED },
    refusals: [...START_REFUSALS, 'invalid_argument'],
  },
  listExecutions: {
    method: 'GET',
    path: '/executions',
    summary: 'List executions, the newest first',
    description:
      'A key sees those that it started, a member all of the workspace. One read looks through at most 10,000 records: a page can be short, even empty, and then says `partial`.',
    access: { kind: 'caller', credentials: ['api_key', 'session', 'personal'] },
    query: z.strictObject({
      ...PAGE_QUERY,
      endpoint: z.string().optional().describe('Only those of the endpoint with this slug.'),
      status: someOf(EXECUTION_STATES)
        .optional()
        .describe('Only those in this state, or in one of these: `failed,timed_out`.'),
      trigger: oneOf(TRIGGERS).optional().describe('Only those that began like this.'),
      agent: z.string().optional().describe('Only those that the agent of this name ran.'),
      from: givenTime().optional().describe('Only those that began at this moment or later.'),
      until: givenTime().optional().describe('Only those that began before this moment.'),
    }),
    answers: {
      200: json('The executions.', boundedPageOf(execution), { items: [EXAMPLE], next_cursor: null }),
    },
  },
  showExecution: {
    method: 'GET',
    path: '/executions/{id}',
    summary: 'Show an execution',
    access: EXECUTION_READER,
    query: withoutResult,
    answers: {
      200: json('As it is now.', executionWithResult, {
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
    summary: 'Read the events of an execution, and follow them',
    description:
      'Each event has an `id:`. A reader that comes back sends the last one as `Last-Event-ID` or `?after=`.',
    access: EXECUTION_READER,
    query: withReadToken.extend({
      after: z.string().optional().describe('The id of the last event that was read.'),
    }),
    headers: { 'Last-Event-ID': 'The same as `?after=`, which it overrules.' },
    answers: {
      200: events('The events, from the first or from where the reader was.'),
      204: empty('The reader has had the last event.'),
    },
  },
  readOutput: {
    method: 'GET',
    path: '/executions/{id}/output',
    summary: 'Read what the command of an execution printed',
    access: EXECUTION_READER,
    query: withReadToken,
    answers: { 200: media('text/plain', 'All that is stored of it, as text.', 'deployed main\n') },
  },
  cancelExecution: {
    method: 'POST',
    path: '/executions/{id}/cancel',
    summary: 'Stop an execution',
    description: 'One that has ended stays as it is.',
    access: EXECUTION_READER,
    query: withReadToken,
    answers: { 202: json('Its agent is told.', execution, { ...EXAMPLE, status: 'cancelled' }) },
  },
} as const satisfies Routes;
