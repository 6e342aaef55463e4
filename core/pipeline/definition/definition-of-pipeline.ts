import { present } from '../../config/definition/present.ts';
import type { WireDefinition } from '../../protocol/definition.ts';
import type { Pipeline, PipelineNode, StepNode, Trigger } from './pipeline.ts';
import { pipelineFromDefinition } from './pipeline-from-definition.ts';
import { pipelineFrameSchema } from './schema.ts';
import { writtenEdges } from './written-edge.ts';
import { writtenNodes } from './written-node.ts';

/**
 * The wire form of a pipeline, as stored and registered (decision 40, the definition of a pipeline). `storedPipeline` and
 * `checkPipeline` give the same pipeline back. Defaults are left out, and `needs` has become `edges`.
 */
export function definitionOfPipeline({ slug, description, trigger, nodes, edges }: Pipeline): WireDefinition {
  return {
    slug,
    ...present({ description }),
    trigger: triggerDefinition(trigger),
    nodes: nodes.map(nodeDefinition),
    edges,
  };
}

/**
 * The pipeline of a stored definition, which was checked before it was stored. It is not checked again, so a definition
 * that a later version would refuse stays valid.
 */
export function storedPipeline(definition: WireDefinition): Pipeline {
  const frame = pipelineFrameSchema.parse(definition);
  const nodes = writtenNodes(frame.nodes, ['nodes']);
  const edges = writtenEdges(frame.edges, nodes, []);
  return pipelineFromDefinition(frame, { nodes, edges, textAt: () => undefined });
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
