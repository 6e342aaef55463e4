import { z } from 'zod';
import { NODE_STATES, RUN_STATES, STEP_OUTCOMES } from '../../pipeline/run/state.ts';
import { byEndpoint, EXECUTION_READER, member } from '../contract/access.ts';
import { empty, eventsOf, json } from '../contract/answer.ts';
import { body, optionalBody } from '../contract/body.ts';
import { executionEvent } from '../contract/event-schema.ts';
import { boundedPageOf, executionStatus, ID, oneOf, PAGE_QUERY, slug, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { runEventMessage } from '../contract/run-event-message.ts';
import { acceptedRunSchema, EXAMPLE_ACCEPTED_RUN } from './calls.ts';
import { EXAMPLE_EXECUTION_ID, EXAMPLE_TIME } from './examples.ts';

const RUN_CALLER = { kind: 'caller', credentials: ['api_key', 'session', 'personal'] } as const;

const IDEMPOTENT = {
  'Idempotency-Key':
    'A second request with the same key within 24 hours starts nothing: 409 while the first run continues, then its answer.',
} as const;

/** The refusals of a request that starts a run. */
const BEGINS = [
  'stale',
  'quota_exceeded',
  'rate_limited',
  'concurrency_limited',
  'idempotency_in_progress',
  'idempotency_mismatch',
] as const;

const wanted = z
  .strictObject({
    pipeline: slug().describe('The slug of the pipeline.'),
    input: z
      .record(z.string(), z.json(), { error: 'an object of input fields' })
      .default({})
      .describe('The input, as in the body of a call. Fields that the trigger does not declare are ignored.'),
  })
  .meta({ id: 'NewPipelineRun' });

const again = z
  .strictObject({
    from: z
      .array(slug(), { error: 'a list of steps' })
      .max(1_000, { error: 'at most 1000 steps' })
      .default([])
      .describe('Steps to run again although they succeeded, with all steps after them.'),
    input: z
      .record(z.string(), z.json(), { error: 'an object of input fields' })
      .default({})
      .describe(
        'The fields that go into secret arguments, which are not stored. All other fields keep their values.',
      ),
  })
  .meta({ id: 'PipelineRerun' });

const run = z
  .strictObject({
    run_id: ID,
    pipeline: z.string().describe('The slug of the pipeline.'),
    version: z.int().describe('The version of the pipeline that the run uses.'),
    status: z.enum(RUN_STATES),
    trigger: z.enum(['call', 'webhook', 'dashboard', 'rerun', 'mcp']),
    rerun_of: ID.optional().describe('The run whose failed steps this run repeats.'),
    stopped_by: z.string().optional().describe('The step whose failure ended the run.'),
    cancel_asked_at: TIME.optional().describe('When the cancellation was requested.'),
    created_at: TIME,
    started_at: TIME.nullable(),
    ended_at: TIME.nullable(),
    duration_ms: z.int().optional().describe('From `created_at` to `ended_at`.'),
    status_url: z.string(),
    stream_url: z.string(),
  })
  .meta({ id: 'PipelineRun', description: 'One run of a pipeline.' });

const listedRun = run
  .extend({ failed_steps: z.int().describe('How many of its steps have failed, for good or so far.') })
  .meta({ id: 'ListedPipelineRun', description: 'One run in a list.' });

const attempt = z
  .strictObject({
    attempt: z.int(),
    execution_id: ID,
    status: executionStatus,
    exit_code: z.int().optional(),
    error: z.string().optional(),
    code: z.string().optional(),
    agent_name: z.string().nullable(),
    approval_id: ID.optional().describe('The pending approval of the attempt: `/approvals/{id}` shows it.'),
    created_at: TIME,
    started_at: TIME.nullable(),
    ended_at: TIME.nullable(),
    status_url: z.string(),
    stream_url: z.string(),
    output_url: z.string(),
  })
  .meta({ id: 'StepAttempt', description: 'One attempt of a step, which is an execution.' });

const node = z
  .strictObject({
    node: z.string(),
    kind: z.enum(['step', 'condition']).optional(),
    endpoint: z.string().optional().describe('The endpoint that the step calls.'),
    status: z.enum(NODE_STATES),
    attempt: z.int().describe('The number of the attempt, from 1; 0: the step has not started.'),
    outcome: z.enum(STEP_OUTCOMES).optional().describe('How the last attempt ended.'),
    exit_code: z.int().optional(),
    error: z.string().optional().describe('Why there is no result, for people.'),
    holds: z.boolean().optional().describe('The answer of a condition.'),
    carried: z.literal(true).optional().describe('The result comes from an earlier run.'),
    retry_at: TIME.optional().describe('When the next attempt starts.'),
    started_at: TIME.nullable(),
    ended_at: TIME.nullable(),
    attempts: z.array(attempt),
  })
  .meta({ id: 'RunNode', description: 'The state of a step or a condition.' });

const wholeRun = run
  .extend({
    exit_code: z.int().optional().describe('The exit code of a run that ended without an error.'),
    error: z.string().optional().describe('Why there is no exit code, for people.'),
    input: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'The fields that the trigger declares, as received; null for a field that goes into a secret argument. ' +
          'Absent if the key that encrypted them no longer exists.',
      ),
    webhook: z
      .strictObject({ event: z.string().optional(), delivery: z.string().optional() })
      .optional()
      .describe('What the headers of a webhook said: `{trigger.event}` and `{trigger.delivery}`.'),
    nodes: z.array(node).describe('In the order of the definition.'),
  })
  .meta({ id: 'WholePipelineRun', description: 'A run with the states of its nodes.' });

const signedRequest = z
  .strictObject({
    headers: z
      .record(z.string(), z.string())
      .describe('The headers of the signature: who signed, what and when.'),
    body: z.string().describe('The whole signed body, as received.'),
  })
  .meta({ id: 'SignedRequest', description: 'The signed call that started a run.' });

const EXAMPLE = {
  run_id: EXAMPLE_ACCEPTED_RUN.run_id,
  pipeline: 'release',
  version: 2,
  status: 'succeeded',
  trigger: 'webhook',
  created_at: EXAMPLE_TIME,
  started_at: EXAMPLE_TIME,
  ended_at: EXAMPLE_TIME,
  duration_ms: 4_200,
  status_url: EXAMPLE_ACCEPTED_RUN.status_url,
  stream_url: EXAMPLE_ACCEPTED_RUN.stream_url,
} satisfies z.input<typeof run>;

const EXECUTION_URL = `https://svc.example.com/executions/${EXAMPLE_EXECUTION_ID}`;

const EXAMPLE_WHOLE = {
  ...EXAMPLE,
  exit_code: 0,
  input: { ref: 'refs/heads/main' },
  nodes: [
    {
      node: 'build',
      kind: 'step',
      endpoint: 'build',
      status: 'succeeded',
      attempt: 1,
      outcome: 'succeeded',
      exit_code: 0,
      started_at: EXAMPLE_TIME,
      ended_at: EXAMPLE_TIME,
      attempts: [
        {
          attempt: 1,
          execution_id: EXAMPLE_EXECUTION_ID,
          status: 'succeeded',
          exit_code: 0,
          agent_name: 'default',
          created_at: EXAMPLE_TIME,
          started_at: EXAMPLE_TIME,
          ended_at: EXAMPLE_TIME,
          status_url: EXECUTION_URL,
          stream_url: `${EXECUTION_URL}/stream`,
          output_url: `${EXECUTION_URL}/output`,
        },
      ],
    },
  ],
} satisfies z.input<typeof wholeRun>;

const withReadToken = z.strictObject({
  token: z
    .string()
    .optional()
    .describe('The read token of a call without a key. The URLs in the answer to such a call contain it.'),
});

/**
 * Pipeline runs, for callers and members (decision 20, asynchronous calls and records, and decision 43, calling a
 * pipeline).
 */
export const pipelineRunRouteRows = {
  startPipelineRun: {
    method: 'POST',
    path: '/pipeline-runs',
    summary: 'Run a pipeline as a member',
    description: 'Works for any trigger, without a signature.',
    access: byEndpoint(member('endpoint.execute'), 'run'),
    headers: IDEMPOTENT,
    body: body(wanted, { pipeline: 'release', input: { ref: 'refs/heads/main' } }),
    answers: {
      202: json('The run has begun. The URLs show its progress.', acceptedRunSchema, EXAMPLE_ACCEPTED_RUN),
    },
    refusals: ['not_found', ...BEGINS],
  },
  listPipelineRuns: {
    method: 'GET',
    path: '/pipeline-runs',
    summary: 'List pipeline runs, newest first',
    description: 'A key sees the runs that it started. A member sees all of the workspace.',
    access: RUN_CALLER,
    query: z.strictObject({
      ...PAGE_QUERY,
      pipeline: z.string().optional().describe('Only runs of the pipeline with this slug.'),
      status: oneOf(RUN_STATES).optional().describe('Only runs in this state.'),
    }),
    answers: {
      200: json('The runs.', boundedPageOf(listedRun), {
        items: [{ ...EXAMPLE, failed_steps: 0 }],
        next_cursor: null,
      }),
    },
  },
  showPipelineRun: {
    method: 'GET',
    path: '/pipeline-runs/{id}',
    summary: 'Show a pipeline run with all its nodes',
    access: EXECUTION_READER,
    query: withReadToken,
    answers: { 200: json('The run.', wholeRun, EXAMPLE_WHOLE) },
  },
  streamPipelineRun: {
    method: 'GET',
    path: '/pipeline-runs/{id}/stream',
    summary: 'Read and follow the events of all steps of a run',
    description:
      'Each event of a step has an `id:`. To resume, send the last one as `Last-Event-ID` or `?after=`. ' +
      'With `?events=nodes` the stream also has an event for each change of a node, with its current state and without an `id:`.',
    access: EXECUTION_READER,
    query: withReadToken.extend({
      after: z.string().optional().describe('The id of the last event that you read.'),
      events: oneOf(['nodes']).optional().describe('`nodes`: also sends the changes of nodes.'),
    }),
    headers: { 'Last-Event-ID': 'The same as `?after=`, and takes precedence.' },
    answers: {
      200: eventsOf(
        z.union([executionEvent, runEventMessage]),
        [
          { type: 'output', step: 'build', data: 'built in 3 s' },
          { type: 'done', exit_code: 0, duration_ms: 4_200 },
        ],
        'The events, from the first or after the given one. One `done` or `error` without a step ends them.',
      ),
      204: empty('The given event was the last one.'),
    },
  },
  readRunRequest: {
    method: 'GET',
    path: '/pipeline-runs/{id}/request',
    summary: 'Read the signed call that started a run',
    description:
      'Stored as long as the run, so that you can check the signature again. 404 if the call was not signed.',
    access: { kind: 'caller', credentials: ['session', 'personal'] },
    answers: {
      200: json('The call, as received.', signedRequest, {
        headers: { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
        body: '{"ref":"refs/heads/main"}',
      }),
    },
  },
  cancelPipelineRun: {
    method: 'POST',
    path: '/pipeline-runs/{id}/cancel',
    summary: 'Cancel a pipeline run',
    description: 'Cancels the running steps and skips the rest. A run that has ended does not change.',
    access: EXECUTION_READER,
    query: withReadToken,
    answers: { 202: json('The run is being cancelled.', run, { ...EXAMPLE, cancel_asked_at: EXAMPLE_TIME }) },
  },
  rerunPipelineRun: {
    method: 'POST',
    path: '/pipeline-runs/{id}/rerun',
    summary: 'Run the failed steps of a run again',
    description:
      'Starts a new run of the same version with the same input. Steps that succeeded do not run again; their results are reused.',
    access: RUN_CALLER,
    headers: IDEMPOTENT,
    body: optionalBody(again, { from: ['build'] }),
    answers: {
      202: json('The new run has begun.', acceptedRunSchema, EXAMPLE_ACCEPTED_RUN),
    },
    refusals: [...BEGINS],
  },
} as const satisfies Routes;
