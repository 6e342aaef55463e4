import { z } from 'zod';
import { METHODS } from '../../endpoint/definition.ts';
import { empty, json } from '../contract/answer.ts';
import { PAGE_QUERY, pageSchema } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';

const callable = z
  .strictObject({
    kind: z.enum(['endpoint', 'pipeline']),
    name: z.string().describe('The last segment of its URL.'),
    url: z.string(),
    description: z.string().nullable(),
    methods: z.array(z.enum(METHODS)).describe('The methods that call it.'),
    public: z.boolean().describe('Callers need no key.'),
    approval_required: z.boolean().describe('Each call waits for approval.'),
    stdin: z
      .literal('body')
      .optional()
      .describe(
        'The command reads the body of a call, of any type, from stdin; the arguments are in the query.',
      ),
    result: z
      .enum(['output', 'data', 'steps'])
      .describe(
        'What the result has: the text of the command, the data of a transform, or the steps of a run.',
      ),
    tags: z.array(z.string()).optional(),
    data_schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('JSON Schema (draft 2020-12) of `data`, where the endpoint promises one.'),
    arguments: z
      .record(z.string(), z.unknown())
      .describe(
        'The values of a call as an object: JSON Schema (draft 2020-12). Secret values are `writeOnly`.',
      ),
  })
  .meta({ id: 'Callable', description: 'An endpoint or pipeline that the caller may call.' });

const CALLER = { kind: 'caller', credentials: ['api_key', 'personal'] } as const;

/** What a key may call, for programs (decision 47, answers of the management API). */
export const catalogRouteRows = {
  listCallables: {
    method: 'GET',
    path: '/v1/{username}',
    summary: 'List what the key may call',
    description:
      'Endpoints and pipelines by name, with their arguments. Pipelines that take only signed calls are left out.',
    access: CALLER,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The endpoints and pipelines.', pageSchema(callable), {
        items: [
          {
            kind: 'endpoint',
            name: 'hello',
            url: 'https://svc.example.com/v1/ada/hello',
            description: 'Greets.',
            methods: ['GET', 'POST'],
            public: false,
            approval_required: false,
            result: 'output',
            arguments: {
              type: 'object',
              properties: { name: { type: 'string', default: 'world' } },
              additionalProperties: false,
            },
          },
        ],
        next_cursor: null,
      }),
      308: empty('The workspace has a new username: `Location` is the path with it.'),
    },
    refusals: ['rate_limited', 'username_gone'],
  },
  describeCallables: {
    method: 'GET',
    path: '/v1/{username}/openapi.json',
    summary: 'Describe what the key may call in OpenAPI',
    description:
      'An OpenAPI 3.1 document with one path for each endpoint and pipeline that the key may call.',
    access: CALLER,
    query: 'ignored',
    answers: {
      200: json('The document.', z.looseObject({ openapi: z.string() }), { openapi: '3.1.1' }),
      308: empty('The workspace has a new username: `Location` is the path with it.'),
    },
    refusals: ['rate_limited', 'username_gone'],
  },
} as const satisfies Routes;
