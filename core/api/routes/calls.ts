import { z } from 'zod';
import { NODE_STATES, RUN_STATES } from '../../pipeline/run/state.ts';
import { empty, events, json } from '../contract/answer.ts';
import { optionalBody } from '../contract/body.ts';
import { executionStatus } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_PENDING, pendingCall } from './approval-schemas.ts';
import { EXAMPLE_EXECUTION_ID } from './examples.ts';

/** The JSON result of reference 2.4. */
export const callResult = z
  .strictObject({
    output: z
      .string()
      .optional()
      .describe('The output of the command, unchanged. Absent if the endpoint has a transform.'),
    encoding: z
      .literal('base64')
      .optional()
      .describe('`output` is the stdout of an endpoint with `output: raw`, as base64.'),
    data: z.unknown().optional().describe('The result of the transform, instead of `output`.'),
    exit_code: z
      .int()
      .describe('The exit code of the command. A code other than 0 is a result, not an error.'),
    execution_id: z.uuid().describe('The execution of the call.'),
    truncated: z
      .literal(true)
      .optional()
      .describe('Set if the output is longer than 1 MiB. `output_url` has the whole output.'),
    output_url: z.string().optional(),
  })
  .meta({ id: 'CallResult', description: 'The result of a command.' });

/**
 * The values of a call by the names of the arguments (decision 9, values of a call). Whether an argument takes a list or an object
 * depends on its type (decision 67, lists and JSON values), so the schema of the route accepts both.
 */
export const callArguments = z.record(
  z.string(),
  z
    .union([z.string(), z.number(), z.boolean(), z.array(z.unknown()), z.record(z.string(), z.unknown())], {
      error: 'text, a number, true, false, a list or an object',
    })
    .meta({
      id: 'ArgumentValue',
      description:
        'Text, a number, true or false. An argument of `type: list` takes a list of them, and one of `type: json` any list or object.',
    }),
  { error: 'an object of argument names and values' },
);

/**
 * The 202 of an execution that continues without its caller (decision 19, the cap on a response, and decision 20,
 * asynchronous calls and records).
 */
export const acceptedExecution = z
  .strictObject({
    execution_id: z.uuid(),
    status: executionStatus,
    status_url: z.string().describe('The execution as it is now.'),
    stream_url: z.string().describe('The events of the execution from the first on, followed live.'),
  })
  .meta({ id: 'AcceptedExecution', description: 'An execution that continues without its caller.' });

export const EXAMPLE_ACCEPTED = {
  execution_id: EXAMPLE_EXECUTION_ID,
  status: 'running',
  status_url: `https://svc.example.com/executions/${EXAMPLE_EXECUTION_ID}`,
  stream_url: `https://svc.example.com/executions/${EXAMPLE_EXECUTION_ID}/stream`,
} as const;

/** The 202 of a pipeline run that continues without its caller (decision 43, calling a pipeline). */
export const acceptedRunSchema = z
  .strictObject({
    run_id: z.uuid(),
    status: z.enum(RUN_STATES),
    status_url: z.string().describe('The run as it is now.'),
    stream_url: z.string().describe('The events of its steps from the first on, followed live.'),
    approvals: z
      .array(pendingCall.extend({ step: z.string() }).meta({ id: 'PendingStep' }))
      .optional()
      .describe('The approvals that the run waits for, if nothing else continues.'),
  })
  .meta({ id: 'AcceptedRun', description: 'A pipeline run that continues without its caller.' });

export const EXAMPLE_ACCEPTED_RUN = {
  run_id: EXAMPLE_EXECUTION_ID,
  status: 'running',
  status_url: `https://svc.example.com/pipeline-runs/${EXAMPLE_EXECUTION_ID}`,
  stream_url: `https://svc.example.com/pipeline-runs/${EXAMPLE_EXECUTION_ID}/stream`,
} as const;

export const runResult = z
  .strictObject({
    run_id: z.uuid(),
    status: z.enum(RUN_STATES),
    exit_code: z.int().describe('0, or the exit code of the step whose failure ended the run.'),
    duration_ms: z.int(),
    steps: z.array(
      z.strictObject({
        step: z.string(),
        status: z.enum(NODE_STATES),
        attempt: z.int().describe('The number of the attempt, from 1; 0: the step did not run.'),
        execution_id: z.uuid().optional().describe('The execution of the last attempt.'),
        exit_code: z.int().optional(),
        error: z.string().optional().describe('Why there is no exit code, for people.'),
        output: z
          .string()
          .optional()
          .describe('The output of its command. Absent if the endpoint has a transform.'),
        data: z.unknown().optional().describe('The result of the transform, instead of `output`.'),
        truncated: z
          .literal(true)
          .optional()
          .describe(
            'Set if the output of all steps together is longer than 1 MiB. `output_url` has the whole output of this step.',
          ),
        output_url: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'RunResult', description: 'The result of a pipeline run, step by step.' });

const ignoredCall = z
  .strictObject({ status: z.literal('ignored'), message: z.string() })
  .meta({ id: 'IgnoredCall', description: 'A webhook that starts no run, such as a ping.' });

const CALL = {
  path: '/v1/{username}/{slug}',
  description: [
    'Runs the command of the endpoint and streams its events, or answers with one JSON body if `Accept` asks',
    'for `application/json`. The query and the JSON object of the body give the arguments by name. A public',
    'endpoint needs no key.',
    'A pipeline is called the same way, by POST: the body is its input, and the events of its steps have a `step`. A pipeline',
    'whose trigger has a secret accepts signed calls instead of a key.',
    'With `?fail=1` the answer is one JSON body, and its status is 200 only if the command ended with exit code 0.',
    'An endpoint with `output: raw` answers with the bytes of stdout and its own media type, unless `Accept` names JSON or',
    'events. A connection that breaks before the end of the body means that the output is not complete.',
    'With `?callback_url=https://…`, or the same field in the body, the hub posts the end of the execution there as',
    '`execution.finished`, with retries; the call needs a key.',
  ].join(' '),
  access: { kind: 'caller', credentials: ['api_key', 'personal'] },
  query: 'ignored',
  headers: {
    Prefer:
      '`respond-async`: 202 at once. `wait=N`: 202 after N seconds without a result. `fail-status`: as `?fail=1`.',
    'X-Callback-Url':
      'As `?callback_url=`, for an endpoint that has an argument of that name, and to keep the URL out of logs.',
    'Idempotency-Key': 'A second call with the same key within 24 hours gets the answer of the first.',
    'Last-Event-ID':
      'Starts nothing: the stream of the execution that the id names continues, or 204 if it has ended.',
  },
  answers: {
    200: {
      ...events(
        'The events of the execution; exactly one `done` or one `error` ends them. Of an endpoint with `output: raw`: its bytes.',
        {
          schema: z.union([callResult, runResult]),
          example: { output: 'hello Ada\n', exit_code: 0, execution_id: EXAMPLE_EXECUTION_ID },
        },
      ),
      anyBytes: true,
    },
    202: json(
      'The execution continues without its caller, or the call waits for approval.',
      z.union([acceptedExecution, pendingCall, acceptedRunSchema, ignoredCall]),
      EXAMPLE_PENDING,
    ),
    308: empty('The workspace has a new username: `Location` is the path with it.'),
    204: empty('The execution that `Last-Event-ID` names has no more events.'),
    502: json(
      'With `fail=1`: the result of a command whose exit code is not 0. Else there is no result.',
      z.union([callResult, runResult]),
      { output: 'no space left\n', exit_code: 3, execution_id: EXAMPLE_EXECUTION_ID },
    ),
    504: json(
      'With `fail=1`: the command has not ended, or waits for approval. It continues.',
      z.union([acceptedExecution, pendingCall, acceptedRunSchema]),
      EXAMPLE_ACCEPTED,
    ),
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
    'username_gone',
  ],
} as const;

/**
 * Calls of endpoints (reference 4.1). The hub answers them before its router (decision 14, nothing runs before its record).
 */
export const callRouteRows = {
  callEndpoint: {
    ...CALL,
    method: 'POST',
    summary: 'Call an endpoint',
    body: optionalBody(callArguments, { name: 'Ada' }),
  },
  callEndpointByGet: { ...CALL, method: 'GET', summary: 'Call an endpoint by GET' },
} as const satisfies Routes;
