import { z } from 'zod';
import { FAILURE_WAYS, TRIGGER_TYPES } from '../../pipeline/definition/pipeline.ts';
import { pipelineSchema } from '../../pipeline/definition/schema.ts';
import { INPUT_TYPES } from '../../pipeline/input/input-field.ts';
import { changeable } from '../contract/changeable.ts';
import { ID, slug, TIME } from '../contract/fields.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';

const SLUG = 'The last segment of its URL; `name` is the same thing.';
const names = {
  slug: slug().optional().describe(SLUG),
  name: slug().optional().describe('The same as `slug`, as svc.yaml calls it.'),
} as const;
const { slug: _slug, ...fields } = pipelineSchema.shape;

/**
 * A definition as it comes: `checkPipeline` reads what its fields hold, because it says more than a schema can, and all of it at
 * once. The schema that is shown is for people and editors.
 */
const asItComes = {
  slug: z.unknown(),
  name: z.unknown(),
  description: z.unknown(),
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
  .describe('The version that the change is for: refused when there is a newer one.');

/** Any of the fields; null takes one away. */
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
    public: z.boolean().describe('It is started without a key.'),
    input_schema: z.array(
      z.strictObject({ name: z.string(), type: z.enum(INPUT_TYPES), required: z.boolean() }),
    ),
    secret: z
      .string()
      .optional()
      .describe('`$svc:NAME` where a managed secret signs the calls; one that was sent is never shown.'),
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
    timeout: z.int().optional().describe('Seconds, instead of those of the endpoint.'),
    retry: z.strictObject({ limit: z.int(), backoff: z.int() }).optional(),
  })
  .meta({ id: 'Step', description: 'A node that calls an endpoint.' });

const condition = z
  .strictObject({ id: z.string(), kind: z.literal('condition'), expression: z.string() })
  .meta({ id: 'Condition', description: 'A node that lets a run go on one way or another.' });

const graph = {
  nodes: z.array(z.union([step, condition])),
  edges: z.array(z.strictObject({ from: z.string(), to: z.string(), when: z.boolean().optional() })),
} as const;

const problem = z
  .strictObject({
    path: z.string().describe('Where in the definition: `nodes[0].endpoint`.'),
    message: z.string(),
  })
  .meta({ id: 'PipelineProblem', description: 'What has changed so that the pipeline cannot run.' });

const head = {
  id: ID,
  slug: z.string().describe(SLUG),
  name: z.string().describe('The same as `slug`.'),
  url: z.string().describe('Where it is started, and where webhooks are sent.'),
  source: z.enum(['config', 'api']).describe("Where it is defined: in an agent's file, or here."),
  agent_name: z.string().nullable().describe('The agent in whose file it stands.'),
  version: z.int().describe('Raised by each change.'),
  created_at: TIME,
  updated_at: TIME,
  description: z.string().nullable(),
  trigger,
  has_secret: z.boolean().describe('Calls can be signed, and a signature stands in for a key.'),
  problems: z
    .array(problem)
    .describe('Why it cannot be started as things are now: endpoints that are gone, for instance.'),
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
  description: 'That a pipeline was something from one change to the next.',
});

export const pipelineVersion = z
  .strictObject({
    ...versionHead,
    definition: z
      .record(z.string(), z.unknown())
      .describe('As it can be sent again; what has its default is left out.'),
  })
  .meta({ id: 'PipelineVersion', description: 'What a pipeline was from one change to the next.' });

const position = z
  .strictObject({
    offset: z.int().describe('From 0, in UTF-16 code units.'),
    line: z.int().describe('From 1.'),
    column: z.int().describe('From 1, in UTF-16 code units.'),
  })
  .meta({ id: 'TextPosition', description: 'A place in a value that is text, such as an expression.' });

export const pipelineCheck = z
  .strictObject({
    ok: z.boolean().describe('It would be saved.'),
    findings: z.array(
      z.strictObject({
        path: z.string().describe('`nodes[0].expression`; empty for the whole.'),
        message: z.string(),
        position: position.optional(),
      }),
    ),
  })
  .meta({ id: 'PipelineCheck', description: 'Everything that is wrong with a definition.' });

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
