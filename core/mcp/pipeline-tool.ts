import type { Endpoint } from '../endpoint/definition.ts';
import type { Pipeline } from '../pipeline/definition/pipeline.ts';
import type { InputField } from '../pipeline/input/input-field.ts';
import { secretFields } from '../pipeline/input/secret-fields.ts';
import { graphOf } from '../pipeline/run/graph.ts';
import { visibleText } from '../text/visible-text.ts';
import { annotationsOf, type McpTool, type ToolAnnotations } from './tool.ts';

/** The endpoints of a workspace by slug. */
export type EndpointsBySlug = ReadonlyMap<string, Endpoint>;

/** The steps that a description names; the list of tools costs tokens. */
const NAMED_STEPS = 10;

/**
 * The pipeline as a tool (decision 66, tools for AI agents). Undefined if its owner set `mcp: false`, if a step calls an endpoint
 * with `mcp: false`, or if it needs a secret value, which an agent cannot give.
 */
export function toolOfPipeline(pipeline: Pipeline, endpoints: EndpointsBySlug): McpTool | undefined {
  const { slug, description, nodes } = pipeline;
  const slugs = nodes.flatMap((node) => (node.kind === 'step' ? [node.endpoint] : []));
  const steps = slugs.map((name) => endpoints.get(name));
  if (pipeline.mcp === false || steps.some((step) => step?.mcp === false)) return undefined;
  const fields = openFields(pipeline, endpoints);
  if (fields === undefined) return undefined;
  const about = description === undefined ? [] : [visibleText(description).replace(/[^.!?]$/, '$&.')];
  const asked = [...new Set(slugs.filter((_, index) => steps[index]?.approvalRequired === true))];
  const approval = asked.length === 0 ? '' : `; needs approval of ${asked.join(', ')}`;
  const more = slugs.length > NAMED_STEPS ? ` and ${slugs.length - NAMED_STEPS} more` : '';
  const named = `${slugs.slice(0, NAMED_STEPS).join(', ')}${more}`;
  return {
    name: slug,
    title: slug,
    description: [...about, `Runs a pipeline with the steps ${named}${approval}.`].join(' '),
    inputSchema: inputSchemaOf(fields),
    annotations: worstOf(steps.map((step) => annotationsOf(step ?? {}))),
  };
}

/** The fields that an agent may give. Undefined if one that is required reaches a secret argument. */
function openFields(pipeline: Pipeline, endpoints: EndpointsBySlug): readonly InputField[] | undefined {
  const { inputSchema } = pipeline.trigger;
  if (inputSchema.length === 0) return inputSchema;
  const secrets = secretFields(graphOf(pipeline), endpoints);
  if (inputSchema.some(({ name, required }) => required && secrets.has(name))) return undefined;
  return inputSchema.filter(({ name }) => !secrets.has(name));
}

function inputSchemaOf(fields: readonly InputField[]): McpTool['inputSchema'] {
  const required = fields.flatMap((field) => (field.required ? [field.name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, type }) => [name, { type }])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** A hint holds for the pipeline if it holds for each step. */
function worstOf(steps: readonly ToolAnnotations[]): ToolAnnotations {
  return {
    readOnlyHint: steps.every(({ readOnlyHint }) => readOnlyHint),
    destructiveHint: steps.some(({ destructiveHint }) => destructiveHint),
    idempotentHint: steps.every(({ idempotentHint }) => idempotentHint),
    openWorldHint: true,
  };
}
