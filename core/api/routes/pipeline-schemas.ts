import { z } from 'zod';
import { FAILURE_WAYS, TRIGGER_TYPES } from '../../pipeline/definition/pipeline.ts';
import { pipelineSchema } from '../../pipeline/definition/schema.ts';
import { INPUT_TYPES } from '../../pipeline/input/input-field.ts';
import { changeable } from '../contract/changeable.ts';
import { ID, slug, TIME } from '../contract/fields.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';

const SLUG = 'The last segment of its URL. `name` has the same meaning.';
const names = {
  slug: slug().optional().describe(SLUG),
  name: slug().optional().describe('The same as `slug`, as svc.yaml calls it.'),
} as const;
const { slug: _slug, ...fields } = pipelineSchema().shape;

/**
 * A definition as received. `checkPipeline` reads its fields, because its messages say more than a schema can, and all at
 * once. The schema here is for people and editors.
 */
const asItComes = {
  slug: z.unknown(),
  name: z.unknown(),
  description: z.unknown(),
  tags: z.unknown(),
  mcp: z.unknown(),
  trigger: z.unknown(),
  nodes: z.unknown(),
  edges: z.unknown(),
} as const satisfies Record<keyof typeof names | keyof typeof fields, z.ZodUnknown>;

export const newPipeline = z
  .strictObject(asItComes)
  .partial()
  .meta({ id: 'NewPipeline', ...shown(z.strictObject({ ...names, ...fields })) });

const version = z
  .int({ error: 'the version that you have seen' })
  .min(1, { error: 'the version that you have seen' })
  .max(Number.MAX_SAFE_INTEGER, { error: 'the version that you have seen' })
  .optional()
  .describe('The version that the change is based on. The change is refused if a newer version exists.');

/** Any of the fields. Null removes one. */
export const pipelineChange = z
  .strictObject({ ...asItComes, version })
  .partial()
  .meta({ id: 'PipelineChange', ...shown(z.strictObject({ ...names, ...changeable(fields), version })) });

function shown(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

const trigger = z
  .strictObject({
    type: z.enum(TRIGGER_TYPES),
    public: z.boolean().describe('Callers need no key.'),
    input_schema: z.array(
      z.strictObject({ name: z.string(), type: z.enum(INPUT_TYPES), required: z.boolean() }),
    ),
    secret: z
      .string()
      .optional()
      .describe('`$svc:NAME` if a managed secret signs the calls. Any other secret is never shown.'),
  })
  .meta({ id: 'Trigger', description: 'How a run of a pipeline begins.' });

const step = z
  .strictObject({
    id: z.string(),
    kind: z.literal('step'),
    endpoint: z.string().describe('The slug of the endpoint that it calls.'),
    args: z.record(z.string(), z.string()),
    env: z.record(z.string(), z.string()),
    agent_name: z.string().optional(),
    on_failure: z.enum(FAILURE_WAYS),
    timeout: z.int().optional().describe('The timeout in seconds, instead of that of the endpoint.'),
    retry: z.strictObject({ limit: z.int(), backoff: z.int() }).optional(),
  })
  .meta({ id: 'Step', description: 'A node that calls an endpoint.' });

const condition = z
  .strictObject({ id: z.string(), kind: z.literal('condition'), expression: z.string() })
  .meta({ id: 'Condition', description: 'A node that selects one of two branches.' });

const graph = {
  nodes: z.array(z.union([step, condition])),
  edges: z.array(z.strictObject({ from: z.string(), to: z.string(), when: z.boolean().optional() })),
} as const;

const problem = z
  .strictObject({
    path: z.string().describe('The place in the definition, such as `nodes[0].endpoint`.'),
    message: z.string(),
  })
  .meta({ id: 'PipelineProblem', description: 'A change elsewhere that keeps the pipeline from running.' });

const head = {
  id: ID,
  slug: z.string().describe(SLUG),
  name: z.string().describe('The same as `slug`.'),
  url: z.string().describe('The URL of its calls and webhooks.'),
  source: z
    .enum(['config', 'api'])
    .describe('`config`: the file of an agent defines it; `api`: it was created here.'),
  agent_name: z.string().nullable().describe('The agent whose file defines it.'),
  version: z.int().describe('Increases with each change.'),
  created_at: TIME,
  updated_at: TIME,
  description: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
  mcp: z.boolean().nullable().describe('False: it is no tool for AI agents. Null: it is one.'),
  trigger,
  has_secret: z.boolean().describe('Calls can be signed instead of using a key.'),
  problems: z.array(problem).describe('Why it cannot start now, such as endpoints that no longer exist.'),
} as const;

export const pipeline = z
  .strictObject({ ...head, ...graph })
  .meta({ id: 'Pipeline', description: 'Endpoints chained in a graph.' });

export const pipelineSummary = z
  .strictObject({ ...head, node_count: z.int() })
  .meta({ id: 'PipelineSummary', description: 'A pipeline without its graph.' });

const versionHead = {
  version: z.int(),
  source: z.enum(['config', 'api']),
  created_at: TIME,
} as const;

export const pipelineVersionHead = z.strictObject(versionHead).meta({
  id: 'PipelineVersionHead',
  description: 'A version of a pipeline, without its definition.',
});

export const pipelineVersion = z
  .strictObject({
    ...versionHead,
    definition: z
      .record(z.string(), z.unknown())
      .describe('The definition as you can send it, without defaults.'),
  })
  .meta({ id: 'PipelineVersion', description: 'A pipeline as it was between two changes.' });

const position = z
  .strictObject({
    offset: z.int().describe('From 0, in UTF-16 code units.'),
    line: z.int().describe('From 1.'),
    column: z.int().describe('From 1, in UTF-16 code units.'),
  })
  .meta({ id: 'TextPosition', description: 'A place in a value that is text, such as an expression.' });

export const pipelineCheck = z
  .strictObject({
    ok: z.boolean().describe('True: the definition can be saved.'),
    findings: z.array(
      z.strictObject({
        path: z
          .string()
          .describe('The place, such as `nodes[0].expression`; empty for the whole definition.'),
        message: z.string(),
        position: position.optional(),
      }),
    ),
  })
  .meta({ id: 'PipelineCheck', description: 'All problems of a definition.' });

export const EXAMPLE_NEW_PIPELINE = {
  slug: 'release',
  trigger: { type: 'webhook', input_schema: [{ name: 'ref', type: 'string', required: true }] },
  nodes: [
    { id: 'is_main', kind: 'condition', expression: '{input.ref} == "refs/heads/main"' },
    { id: 'deploy', kind: 'step', endpoint: 'deploy', args: { branch: '{input.ref}' } },
  ],
  edges: [
    { from: 'trigger', to: 'is_main' },
    { from: 'is_main', to: 'deploy', when: true },
  ],
};

const EXAMPLE_HEAD = {
  id: EXAMPLE_ID,
  slug: 'release',
  name: 'release',
  url: 'https://svc.example.com/v1/ada/release',
  source: 'api',
  agent_name: null,
  version: 3,
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
  description: null,
  tags: null,
  mcp: null,
  trigger: {
    type: 'webhook',
    public: false,
    input_schema: [{ name: 'ref', type: 'string', required: true }],
  },
  has_secret: true,
  problems: [],
} satisfies Omit<z.input<typeof pipeline>, 'nodes' | 'edges'>;

export const EXAMPLE_PIPELINE = {
  ...EXAMPLE_HEAD,
  nodes: [
    { id: 'is_main', kind: 'condition', expression: '{input.ref} == "refs/heads/main"' },
    {
      id: 'deploy',
      kind: 'step',
      endpoint: 'deploy',
      args: { branch: '{input.ref}' },
      env: {},
      on_failure: 'stop',
    },
  ],
  edges: [
    { from: 'trigger', to: 'is_main' },
    { from: 'is_main', to: 'deploy', when: true },
  ],
} satisfies z.input<typeof pipeline>;

export const EXAMPLE_SUMMARY = { ...EXAMPLE_HEAD, node_count: 2 } satisfies z.input<typeof pipelineSummary>;

export const EXAMPLE_VERSION_HEAD = {
  version: 3,
  source: 'api',
  created_at: EXAMPLE_TIME,
} satisfies z.input<typeof pipelineVersionHead>;

export const EXAMPLE_PIPELINE_VERSION = {
  ...EXAMPLE_VERSION_HEAD,
  definition: EXAMPLE_NEW_PIPELINE,
} satisfies z.input<typeof pipelineVersion>;

export const EXAMPLE_CHECK = {
  ok: false,
  findings: [
    {
      path: 'nodes[0].expression',
      message: 'expression: "=" is no operator; "==" expected (character 13)',
      position: { offset: 12, line: 1, column: 13 },
    },
  ],
} satisfies z.input<typeof pipelineCheck>;
