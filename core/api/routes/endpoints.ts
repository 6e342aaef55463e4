import { z } from 'zod';
import { problemsBeyondShape } from '../../endpoint/managed/decide-endpoint.ts';
import { byEndpoint, principal } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { PAGE_QUERY, pageSchema } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import {
  EXAMPLE_ENDPOINT,
  EXAMPLE_VERSION,
  endpoint,
  endpointChange,
  endpointVersion,
  newEndpoint,
} from './endpoint-schemas.ts';

const IF_MATCH = {
  'If-Match':
    'The version that the change is based on, from `ETag`. The change is refused if a newer version exists.',
} as const;

const LONGEST_SEARCH = 100;
const search = z
  .string()
  .max(LONGEST_SEARCH, { error: `up to ${LONGEST_SEARCH} characters` })
  .optional()
  .describe('Only endpoints whose slug, description or command contains this text, ignoring case.');

/** Endpoints: defined in the files of agents, or created here (reference 4.2, decisions 2, 31 to 33 and 47). */
export const endpointRouteRows = {
  listEndpoints: {
    method: 'GET',
    path: '/endpoints',
    summary: 'List endpoints',
    access: byEndpoint(principal('endpoint.view'), 'view'),
    query: z.strictObject({
      ...PAGE_QUERY,
      search,
      tag: z
        .string()
        .max(64, { error: 'up to 64 characters' })
        .optional()
        .describe('Only endpoints with this tag.'),
    }),
    answers: {
      200: json('The endpoints.', pageSchema(endpoint), { items: [EXAMPLE_ENDPOINT], next_cursor: null }),
    },
  },
  createEndpoint: {
    method: 'POST',
    path: '/endpoints',
    summary: 'Create an endpoint',
    description:
      'The agent `agent_name`, or else `default`, receives the whole definition and runs the command.',
    access: principal('endpoint.edit'),
    body: {
      ...body(newEndpoint, {
        slug: 'deploy',
        command: './deploy.sh {{branch}}',
        args: [{ name: 'branch', default: 'main' }],
      }),
      problemsBeyond: problemsBeyondShape,
    },
    answers: { 201: json('The new endpoint.', endpoint, { ...EXAMPLE_ENDPOINT, source: 'api' }) },
    refusals: ['slug_taken'],
  },
  showEndpoint: {
    method: 'GET',
    path: '/endpoints/{name}',
    summary: 'Show an endpoint',
    access: byEndpoint(principal('endpoint.view'), 'view'),
    answers: { 200: json('The endpoint.', endpoint, EXAMPLE_ENDPOINT) },
  },
  changeEndpoint: {
    method: 'PATCH',
    path: '/endpoints/{name}',
    summary: 'Change an endpoint',
    description:
      'For an endpoint from a file, change `name`, `command`, `args`, `env`, `cwd`, `transform` and `agent_name` in ' +
      'the file. Any other field overrides the file until null removes the override. A grant of `edit` leaves to an owner ' +
      'or admin who may use and approve the endpoint, its agent and secrets, `schedule`, `callback_url`, `effects`, ' +
      '`idempotent` and `mcp`.',
    access: byEndpoint(principal('endpoint.edit'), 'edit'),
    headers: IF_MATCH,
    body: body(endpointChange, { timeout: 90, approval_required: null }),
    answers: { 200: json('The changed endpoint.', endpoint, EXAMPLE_ENDPOINT) },
    refusals: ['slug_taken', 'managed_by_config', 'version_conflict', 'precondition_failed'],
  },
  deleteEndpoint: {
    method: 'DELETE',
    path: '/endpoints/{name}',
    summary: 'Delete an endpoint',
    description: 'Running executions continue. To delete an endpoint from a file, remove it from the file.',
    access: principal('endpoint.edit'),
    headers: IF_MATCH,
    answers: { 204: empty('The endpoint is deleted.') },
    refusals: ['managed_by_config', 'precondition_failed'],
  },
  listEndpointVersions: {
    method: 'GET',
    path: '/endpoints/{name}/versions',
    summary: 'List the versions of an endpoint',
    access: byEndpoint(principal('endpoint.view'), 'view'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The versions with their definitions, newest first.', pageSchema(endpointVersion), {
        items: [EXAMPLE_VERSION],
        next_cursor: null,
      }),
    },
  },
  showExecutedDefinition: {
    method: 'GET',
    path: '/executions/{id}/definition',
    summary: 'Show the definition that an execution ran',
    description: 'Works even if the endpoint was changed or deleted since.',
    access: byEndpoint(principal('endpoint.view'), 'view'),
    answers: { 200: json('The version that ran.', endpointVersion, EXAMPLE_VERSION) },
  },
} as const satisfies Routes;
