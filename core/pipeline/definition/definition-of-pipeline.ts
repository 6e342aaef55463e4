import type { z } from 'zod';
import { present } from '../../config/definition/present.ts';
import type { WireDefinition } from '../../protocol/definition.ts';
import {
  DEFAULT_BACKOFF_SEC,
  type Edge,
  type Pipeline,
  type PipelineNode,
  type StepNode,
  type Trigger,
} from './pipeline.ts';

import type { conditionSchema, pipelineFrameSchema, stepSchema } from './schema.ts';

/**
 * The wire form of a pipeline, as stored and registered (decision 40, the definition of a pipeline). `storedPipeline` and
 * `checkPipeline` give the same pipeline back. Defaults are left out, and `needs` has become `edges`.
 */
export function definitionOfPipeline({
  slug,
  description,
  tags,
  mcp,
  trigger,
  nodes,
  edges,
}: Pipeline): WireDefinition {
  return {
    slug,
    ...present({ description, tags, mcp }),
    trigger: triggerDefinition(trigger),
    nodes: nodes.map(nodeDefinition),
    edges,
  };
}

/** The text of `definitionOfPipeline`: scalars are text, `kind` and `edges` are there, and defaults are left out. */
type StoredDefinition = Omit<z.input<ReturnType<typeof pipelineFrameSchema>>, 'nodes' | 'edges'> & {
  readonly nodes: readonly (StoredStep | StoredCondition)[];
  readonly edges: readonly Edge[];
};
type StoredStep = z.input<ReturnType<typeof stepSchema>> & {
  readonly kind: 'step';
  readonly args?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
};
type StoredCondition = z.input<ReturnType<typeof conditionSchema>> & { readonly kind: 'condition' };

/**
 * The pipeline of a stored definition, which was checked before it was stored. It is not checked again, so a definition
 * that a later version would refuse stays valid.
 *
 * It works without the schemas, because the dashboard reads each pipeline with it.
 */
export function storedPipeline(definition: WireDefinition): Pipeline {
  const {
    slug,
    description,
    tags,
    mcp,
    trigger = {},
    nodes,
    edges,
  } = definition as unknown as StoredDefinition;
  return {
    slug,
    trigger: storedTrigger(trigger),
    nodes: nodes.map(storedNode),
    edges: edges.map(({ from, to, when }) => (when === undefined ? { from, to } : { from, to, when })),
    ...present({ description, tags, mcp }),
  };
}

function storedTrigger(trigger: NonNullable<StoredDefinition['trigger']>): Trigger {
  const { type = 'manual', public: isPublic = false, input_schema: fields = [], secret } = trigger;
  return {
    type,
    public: isPublic,
    inputSchema: fields.map(({ name, type: kind, required = false }) => ({ name, type: kind, required })),
    ...present({ secret }),
  };
}

function storedNode(node: StoredStep | StoredCondition): PipelineNode {
  if (node.kind === 'condition') return { kind: 'condition', id: node.id, expression: node.expression };
  const { id, endpoint, args = {}, env = {}, agent_name, on_failure = 'stop', timeout, retry } = node;
  return {
    kind: 'step',
    id,
    endpoint,
    args,
    env,
    onFailure: on_failure,
    ...present({
      agentName: agent_name,
      timeoutSec: timeout,
      retry: retry && { limit: retry.limit, backoffSec: retry.backoff ?? DEFAULT_BACKOFF_SEC },
    }),
  };
}

function triggerDefinition({ type, public: isPublic, inputSchema, secret }: Trigger): WireDefinition {
  return {
    type,
    ...(isPublic ? { public: true } : {}),
    ...(inputSchema.length === 0
      ? {}
      : {
          input_schema: inputSchema.map(({ name, type: kind, required }) => ({
            name,
            type: kind,
            ...(required ? { required } : {}),
          })),
        }),
    ...present({ secret }),
  };
}

function nodeDefinition(node: PipelineNode): WireDefinition {
  if (node.kind === 'condition') return { id: node.id, kind: 'condition', expression: node.expression };
  return { id: node.id, kind: 'step', endpoint: node.endpoint, ...stepSettings(node) };
}

function stepSettings({ args, env, agentName, onFailure, timeoutSec, retry }: StepNode): WireDefinition {
  return present({
    args: isEmpty(args) ? undefined : args,
    env: isEmpty(env) ? undefined : env,
    agent_name: agentName,
    on_failure: onFailure === 'stop' ? undefined : onFailure,
    timeout: timeoutSec,
    retry: retry && { limit: retry.limit, backoff: retry.backoffSec },
  });
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}
