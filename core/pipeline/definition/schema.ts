import { z } from 'zod';
import { ARGUMENT_NAME_PATTERN } from '../../endpoint/argument-name.ts';
import { MAX_TAGS, SLUG_PATTERN } from '../../endpoint/slug.ts';
import { lazily } from '../../lazily.ts';
import { LIMITS } from '../../plan/limits.ts';
import { INPUT_TYPES } from '../input/input-field.ts';
import { DEFAULT_BACKOFF_SEC, FAILURE_WAYS, TRIGGER_TYPES } from './pipeline.ts';

// The keys of a pipeline (decision 40, the definition of a pipeline). `error` names what is accepted; messages are built
// around it. A file without pipelines makes none of these schemas, so `svc serve` starts sooner.

const NODE_ID_PATTERN = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

function text(error = 'text') {
  return z.string({ error }).min(1, { error });
}

function pattern(regex: RegExp, error: string) {
  return z.string({ error }).regex(regex, { error });
}

function wholeNumber(min: number, max: number, what: string) {
  const error = `${what} from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `${values.slice(0, -1).join(', ')} or ${values.at(-1)}` });
}

function flag() {
  return z.boolean({ error: 'true or false' });
}

function listOf<Item extends z.ZodType>(item: Item, what: string, max: number) {
  const error = `a list of at most ${max} ${what}`;
  return z.array(item, { error }).max(max, { error });
}

function parameters(what: string) {
  const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'text, a number, true or false' });
  return z.record(z.string(), scalar, { error: `a map of ${what}` }).default({});
}

const nodeId = lazily(() =>
  pattern(NODE_ID_PATTERN, 'up to 64 letters, digits, "_" and "-", the first a letter or "_",'),
);

/** One field of `input_schema`. */
export const inputFieldSchema = lazily(() =>
  z.strictObject(
    {
      name: pattern(
        ARGUMENT_NAME_PATTERN,
        'up to 64 letters, digits, "_" and "-", the first a letter or "_",',
      ).describe('Its name in the body and in `{input.name}`.'),
      type: oneOf(INPUT_TYPES).describe('The type of the value.'),
      required: flag().default(false).describe('A call without it is refused.'),
    },
    { error: 'a field with a name and a type' },
  ),
);

/** How a run begins. */
export const triggerSchema = lazily(() =>
  z.strictObject(
    {
      type: oneOf(TRIGGER_TYPES)
        .default('manual')
        .describe('A `webhook` accepts a JSON body, `manual` none.'),
      public: flag().default(false).describe('Callers need no API key.'),
      input_schema: listOf(inputFieldSchema(), 'fields', LIMITS.pipelineFields)
        .default([])
        .describe('The fields of the body that the run may use.'),
      secret: text()
        .optional()
        .describe(
          'The secret that signs the calls (HMAC); `$svc:NAME` for a managed secret, which a file always needs.',
        ),
    },
    { error: 'a map with a type' },
  ),
);

const conditionalNeedSchema = lazily(() =>
  z.strictObject({
    node: nodeId().describe('The id of a condition.'),
    when: flag().describe('The outcome of the condition with which this node runs.'),
  }),
);
const needSchema = lazily(() =>
  z.union([nodeId(), conditionalNeedSchema()], {
    error: 'the id of a node, or a map with node and when,',
  }),
);
const needs = lazily(() =>
  listOf(needSchema(), 'nodes', LIMITS.pipelineNodes)
    .optional()
    .describe('The nodes that must end before this one, instead of `edges`.'),
);

/** A node that calls an endpoint. */
export const stepSchema = lazily(() =>
  z.strictObject({
    id: nodeId().describe('Its name in the graph, and in `{steps.<id>.output}`.'),
    kind: z
      .literal('step', { error: 'step or condition' })
      .default('step')
      .describe('Optional: a node with an `endpoint` is a step.'),
    endpoint: pattern(SLUG_PATTERN, 'the name of an endpoint').describe('The endpoint that it calls.'),
    args: parameters('arguments').describe('The arguments of the call.'),
    env: parameters('variables').describe('Variables for the environment of the command.'),
    agent_name: text('the name of an agent')
      .optional()
      .describe('The agent that runs it, instead of that of the endpoint.'),
    on_failure: oneOf(FAILURE_WAYS)
      .default('stop')
      .describe(
        'The effect of a failure: `stop` ends the run, `continue` lets the nodes after this step run.',
      ),
    timeout: wholeNumber(1, LIMITS.maxTimeoutSec, 'whole seconds')
      .optional()
      .describe('The timeout in seconds, instead of that of the endpoint.'),
    retry: z
      .strictObject(
        {
          limit: wholeNumber(1, LIMITS.maxRetries, 'a whole number').describe('The most further attempts.'),
          backoff: wholeNumber(0, LIMITS.maxBackoffSec, 'whole seconds')
            .default(DEFAULT_BACKOFF_SEC)
            .describe('Seconds before the second attempt. Each further wait is twice as long.'),
        },
        { error: 'a map with limit and backoff' },
      )
      .optional()
      .describe('Repeats the step if it fails.'),
    needs: needs(),
  }),
);

/** A node that selects one of two branches. */
export const conditionSchema = lazily(() =>
  z.strictObject({
    id: nodeId().describe('Its name in the graph.'),
    kind: z
      .literal('condition', { error: 'step or condition' })
      .default('condition')
      .describe('Optional: a node with an `expression` is a condition.'),
    expression: text('a condition such as {input.name} == "main"').describe(
      'The condition that decides between the `true` edges and the `false` ones.',
    ),
    needs: needs(),
  }),
);

/** One item of `edges`. */
export const edgeSchema = lazily(() =>
  z.strictObject(
    {
      from: text('the id of a node, or trigger').describe('The node before, or `trigger`.'),
      to: text('the id of a node').describe('The node that runs after it.'),
      when: flag().optional().describe('The outcome of the condition for this edge. Default: true.'),
    },
    { error: 'an edge with from and to' },
  ),
);

const slugForm = lazily(() =>
  pattern(SLUG_PATTERN, 'up to 64 lower-case letters, digits, "_" and "-", the first a letter or digit,'),
);
const slug = lazily(() => slugForm().describe('The last part of its URL.'));

function pipelineOf<Node extends z.ZodType>(node: Node) {
  return z.strictObject({
    slug: slug(),
    description: text().optional().describe('A description for people.'),
    tags: listOf(slugForm(), 'tags', MAX_TAGS)
      .optional()
      .describe('Words by which people find it, such as `backup` or `team-web`.'),
    mcp: flag()
      .optional()
      .describe(
        'Whether it is a tool for AI agents whose key may call it. Default: true, unless a step calls an endpoint with `mcp: false`.',
      ),
    trigger: triggerSchema().prefault({}).describe('How a run begins.'),
    nodes: listOf(node, 'nodes', LIMITS.pipelineNodes)
      .min(1, { error: 'at least one step' })
      .describe('Its steps and conditions.'),
    edges: listOf(edgeSchema(), 'edges', LIMITS.pipelineEdges)
      .optional()
      .describe('The order of the nodes. `trigger` is the start of a run.'),
  });
}

/** A whole pipeline, for documents. */
export const pipelineSchema = lazily(() => pipelineOf(z.union([stepSchema(), conditionSchema()])));

/** One item of `pipelines` in svc.yaml, whose word for a slug is `name`. */
export const pipelineItemSchema = lazily(() => {
  const { slug: name, ...fields } = pipelineSchema().shape;
  return z.strictObject({ name, ...fields }, { error: 'a pipeline with a name and nodes' });
});

/** A pipeline without its nodes, which are checked one by one so that each gets specific messages. */
export const pipelineFrameSchema = lazily(() => pipelineOf(z.unknown()));

export type StepDefinition = z.output<ReturnType<typeof stepSchema>>;
export type PipelineFrame = z.output<ReturnType<typeof pipelineFrameSchema>>;
