import { present } from '../../config/definition/present.ts';
import { type TextAt, writtenText } from '../../config/definition/written-text.ts';
import type { Path } from '../../config/validation-issue.ts';
import type { Pipeline, PipelineNode, StepNode, Trigger } from './pipeline.ts';
import { conditionSchema, type PipelineFrame, type StepDefinition, stepSchema } from './schema.ts';
import { edge, type WrittenEdge } from './written-edge.ts';
import type { WrittenNode } from './written-node.ts';

/** The parsed parts of a checked definition. */
export interface CheckedParts {
  readonly nodes: readonly WrittenNode[];
  readonly edges: readonly WrittenEdge[];
  readonly textAt: TextAt;
}

/** The domain form of a checked definition, with the names and units of the code. */
export function pipelineFromDefinition(
  frame: PipelineFrame,
  { nodes, edges, textAt }: CheckedParts,
): Pipeline {
  return {
    slug: frame.slug,
    trigger: trigger(frame.trigger),
    nodes: nodes.map((written) => node(written, textAt)),
    edges: edges.map(({ from, to, when }) => edge(from, to, when)),
    ...present({ description: frame.description, tags: frame.tags, mcp: frame.mcp }),
  };
}

function trigger({ type, public: isPublic, input_schema, secret }: PipelineFrame['trigger']): Trigger {
  return { type, public: isPublic, inputSchema: input_schema, ...present({ secret }) };
}

function node({ kind, value, path }: WrittenNode, textAt: TextAt): PipelineNode {
  if (kind === 'step') return step(stepSchema().parse(value), path, textAt);
  const { id, expression } = conditionSchema().parse(value);
  return { kind, id, expression };
}

function step(definition: StepDefinition, path: Path, textAt: TextAt): StepNode {
  const { id, endpoint, agent_name, on_failure, timeout, retry } = definition;
  const texts = (key: 'args' | 'env') =>
    Object.fromEntries(
      Object.entries(definition[key]).map(([name, value]) => [
        name,
        writtenText(value, [...path, key, name], textAt),
      ]),
    );
  return {
    kind: 'step',
    id,
    endpoint,
    args: texts('args'),
    env: texts('env'),
    onFailure: on_failure,
    ...present({
      agentName: agent_name,
      timeoutSec: timeout,
      retry: retry && { limit: retry.limit, backoffSec: retry.backoff },
    }),
  };
}
