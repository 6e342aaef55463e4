import { z } from 'zod';
import { EXECUTION_STATES } from '../../execution/state.ts';
import { NODE_STATES, RUN_STATES } from '../../pipeline/run/state.ts';
import { empty, events, json } from '../contract/answer.ts';
import { optionalBody } from '../contract/body.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_PENDING, pendingCall } from './approvals.ts';
import { EXAMPLE_EXECUTION_ID } from './examples.ts';

/** The JSON result of reference 2.4. */
const callResult = z
  .strictObject({
    output: z
      .string()
      .optional()
      .describe('What the command printed, as it was printed; without a transform.'),
    data: z.unknown().optional().describe('What the transform made of it; takes the place of `output`.'),
    exit_code: z.int().describe('Of the command. One that is not 0 is a result, no error.'),
    truncated: z.literal(true).optional().describe('There was more than 1 MiB: `output_url` has the rest.'),
    output_url: z.string().optional(),
  })
  .meta({ id: 'CallResult', description: 'What a command came to.' });

/** The values of a call by the names of the arguments (decision 9). */
export const callArguments = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], { error: 'text, a number, true or false' }),
  { error: 'an object of argument names and values' },
);

/** The 202 of an execution that goes on without its caller (decisions 19 and 20). */
export const acceptedExecution = z
  .strictObject({
    execution_id: z.uuid(),
    status: z.enum(EXECUTION_STATES),
    status_url: z.string().describe('Answers with the execution as it is now.'),
    stream_url: z.string().describe('Answers with its events from the first, and follows them.'),
  })
  .meta({ id: 'AcceptedExecution', description: 'An execution that goes on without its caller.' });

export const EXAMPLE_ACCEPTED = {
  execution_id: EXAMPLE_EXECUTION_ID,
  status: 'running',
  status_url: `https://svc.example.com/executions/${EXAMPLE_EXECUTION_ID}`,
  stream_url: `https://svc.example.com/executions/${EXAMPLE_EXECUTION_ID}/stream`,
} as const;

/** The 202 of a pipeline run that goes on without its caller (decision 43). */
export const acceptedRunSchema = z
  .strictObject({
    run_id: z.uuid(),
    status: z.enum(RUN_STATES),
    status_url: z.string().describe('Answers with the run as it is now.'),
    stream_url: z.string().describe('Answers with the events of its steps from the first, and follows them.'),
    approvals: z
      .array(pendingCall.extend({ step: z.string() }).meta({ id: 'HeldStep' }))
      .optional()
      .describe('What it waits for, where nothing goes on but approvals.'),
  })
  .meta({ id: 'AcceptedRun', description: 'A pipeline run that goes on without its caller.' });

export const EXAMPLE_ACCEPTED_RUN = {
  run_id: EXAMPLE_EXECUTION_ID,
  status: 'running',
  status_url: `https://svc.example.com/pipeline-runs/${EXAMPLE_EXECUTION_ID}`,
  stream_url: `https://svc.example.com/pipeline-runs/${EXAMPLE_EXECUTION_ID}/stream`,
} as const;

const runResult = z
  .strictObject({
    run_id: z.uuid(),
    status: z.enum(RUN_STATES),
    exit_code: z.int().describe('0, or that of the step whose failure ended the run.'),
    duration_ms: z.int(),
    steps: z.array(
      z.strictObject({
        step: z.string(),
        status: z.enum(NODE_STATES),
        attempt: z.int().describe('Which try it is, from 1; 0: it was not run.'),
        execution_id: z.uuid().optional().describe('The last try.'),
        exit_code: z.int().optional(),
        error: z.string().optional().describe('Why it has no exit code, for people.'),
        output: z.string().optional().describe('What its command printed; without a transform.'),
        data: z.unknown().optional().describe('What the transform made of it; takes the place of `output`.'),
        truncated: z.literal(true).optional().describe('All steps share 1 MiB: `output_url` has the rest.'),
        output_url: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'RunResult', description: 'What a pipeline run came to, step by step.' });

const CALL = {
  path: '/v1/{username}/{slug}',
  description: [
    'Runs the command of the endpoint, and answers with its events while it runs, or with one JSON body where `Accept` asks',
    'for `application/json`. Arguments come from the query and from the JSON object of the body, by their names. A public',
    'endpoint needs no key.',
    'A pipeline is called in the same way, by POST: the body is its input, the events of its steps have a `step`, and one',
    'whose trigger has a secret takes calls that are signed instead of a key.',
  ].join(' '),
  access: { kind: 'caller', credentials: ['api_key', 'personal'] },
  query: 'ignored',
  headers: {
    Prefer: '`respond-async`: 202 at once. `wait=N`: 202 when N seconds were not enough.',
    'Idempotency-Key': 'A second call with the same key, within 24 hours, is answered from the first.',
    'Last-Event-ID':
      'Nothing is run: the execution that it names is followed on, or 204 says that it has ended.',
  },
  answers: {
    200: events('The events of the execution; exactly one `done` or one `error` ends them.', {
      schema: z.union([callResult, runResult]),
      example: { output: 'hello Ada\n', exit_code: 0 },
    }),
    202: json(
      'It goes on without its caller, who asked for that or waited long enough; or it waits for approval.',
      z.union([acceptedExecution, pendingCall, acceptedRunSchema]),
      EXAMPLE_PENDING,
    ),
    204: empty('`Last-Event-ID` names nothing that has more to say.'),
  },
  refusals: [
    'invalid_argument',
    'method_not_allowed',
    'idempotency_in_progress',
    'idempotency_mismatch',
    'quota_exceeded',
    'concurrency_limited',
    'rate_limited',
    'agent_offline',
    'agent_refused',
    'secret_not_set',
    'secret_not_allowed',
    'spawn_failed',
    'timeout',
    'lost',
    'cancelled',
    'transform_failed',
    'step_failed',
    'approval_denied',
    'approval_expired',
    'stale',
  ],
} as const;

/** How endpoints are called (reference 4.1); the hub answers these before its router (decision 14). */
export const callRouteRows = {
  callEndpoint: {
    ...CALL,
    method: 'POST',
    summary: 'Call an endpoint',
    body: optionalBody(callArguments, { name: 'Ada' }),
  },
  callEndpointByGet: { ...CALL, method: 'GET', summary: 'Call an endpoint by GET' },
} as const satisfies Routes;
