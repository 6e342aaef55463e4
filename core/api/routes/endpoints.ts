import { z } from 'zod';
import { ARGUMENT_TYPES, METHODS } from '../../endpoint/definition.ts';
import { member } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { ID, PAGE_QUERY, pageOf, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';

const argument = z
  .strictObject({
    name: z.string(),
    type: z.enum(ARGUMENT_TYPES),
    required: z.boolean(),
    default: z.string().optional(),
  })
  .meta({ id: 'Argument', description: 'An argument that an endpoint takes.' });

const endpoint = z
  .strictObject({
    id: ID,
    slug: z.string().describe('The last segment of its URL.'),
    name: z.string().describe('The same as `slug`.'),
    url: z.string().describe('Where it is called.'),
    method: z.enum(METHODS).nullable().describe('The only method that calls it; null: both do.'),
    description: z.string().nullable(),
    args: z.array(argument),
    timeout: z.int().describe('Seconds.'),
    public: z.boolean().describe('It is called without a key.'),
    source: z.enum(['config', 'api']).describe("Where it is defined: in an agent's file, or here."),
    agent_name: z.string().nullable().describe('The agent that runs it.'),
    version: z.int().describe('Raised whenever its definition changes.'),
    created_at: TIME,
    updated_at: TIME,
  })
  .meta({ id: 'Endpoint', description: 'A command that is called over HTTP.' });

const EXAMPLE = {
  id: EXAMPLE_ID,
  slug: 'deploy',
  name: 'deploy',
  url: 'https://svc.example.com/v1/ada/deploy',
  method: 'POST',
  description: 'Deploys the site',
  args: [{ name: 'branch', type: 'string', required: false, default: 'main' }],
  timeout: 60,
  public: false,
  source: 'config',
  agent_name: 'default',
  version: 3,
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
} satisfies z.input<typeof endpoint>;

export const endpointRoutes = {
  listEndpoints: {
    method: 'GET',
    path: '/endpoints',
    summary: 'List endpoints',
    access: member('endpoint.view'),
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The endpoints.', pageOf(endpoint), { items: [EXAMPLE], next_cursor: null }) },
  },
} as const satisfies Routes;
