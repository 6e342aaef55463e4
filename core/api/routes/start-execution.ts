import { z } from 'zod';
import { byEndpoint, member } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { body, optionalBody } from '../contract/body.ts';
import { slug } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { pendingCall } from './approval-schemas.ts';
import { acceptedExecution, callArguments, EXAMPLE_ACCEPTED } from './calls.ts';

const wanted = z
  .strictObject({
    endpoint: slug().describe('The slug of the endpoint.'),
    args: callArguments.default({}).describe('Values by the names of the arguments.'),
  })
  .meta({ id: 'NewExecution' });

const STARTED = json(
  'The execution runs or waits for approval. The URLs show its progress.',
  z.union([acceptedExecution, acceptedExecution.extend(pendingCall.shape).meta({ id: 'PendingExecution' })]),
  EXAMPLE_ACCEPTED,
);

const IDEMPOTENT = {
  'Idempotency-Key':
    'A second request with the same key within 24 hours starts nothing: 409 while the first execution runs, then its answer.',
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

/** Executions that a member starts (decision 14, nothing runs before its record, and decision 76, files of a call). */
export const startRouteRows = {
  startExecution: {
    method: 'POST',
    path: '/executions',
    summary: 'Run an endpoint as a member',
    access: byEndpoint(member('endpoint.execute'), 'run'),
    headers: IDEMPOTENT,
    body: body(wanted, { endpoint: 'deploy', args: { branch: 'main' } }),
    answers: { 202: STARTED },
    refusals: START_REFUSALS,
  },
  startExecutionWithFiles: {
    method: 'POST',
    path: '/endpoints/{name}/executions',
    summary: 'Run an endpoint with files, as a member',
    description:
      'For an endpoint with arguments of `type: file`. It is answered when the files have arrived. A session of a browser also ' +
      'needs the header `X-Requested-With`: a page of another site cannot send it.',
    access: byEndpoint(member('endpoint.execute'), 'run'),
    form: 'The arguments by their names: values first, then files. The limits are those of a call.',
    headers: {
      'Idempotency-Key': `${IDEMPOTENT['Idempotency-Key']} It needs \`Content-Digest\`.`,
      'Content-Digest': 'The SHA-256 of the form as it is sent, as `sha-256=:…:` in base64.',
      'X-Requested-With': 'Any value.',
    },
    answers: { 202: STARTED },
    refusals: [...START_REFUSALS, 'invalid_argument', 'not_supported', 'cancelled'],
  },
  runAgain: {
    method: 'POST',
    path: '/executions/{id}/again',
    summary: 'Run an execution again, as a member',
    description:
      'Runs the current version of the endpoint with the values of that execution; `args` replaces some of them. Secret ' +
      'values are not stored, so `args` must contain them.',
    access: byEndpoint(member('endpoint.execute'), 'run'),
    headers: IDEMPOTENT,
    body: optionalBody(
      z
        .strictObject({ args: callArguments.default({}).describe('The values to replace.') })
        .meta({ id: 'AnotherExecution' }),
      {},
    ),
    answers: { 202: STARTED },
    refusals: [...START_REFUSALS, 'invalid_argument'],
  },
} as const satisfies Routes;
