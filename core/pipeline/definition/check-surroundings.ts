import type { Path, ValidationIssue } from '../../config/validation-issue.ts';
import { parseTextTemplate } from '../reference/template.ts';
import { agentIssues, callIssues, type Parameter, type StepSurroundings } from './check-call.ts';
import { spellingHints } from './hint.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * The issues of a stored pipeline that was valid when it was saved, because endpoints, arguments or agents have changed
 * since. Paths are those of its definition.
 */
export function surroundingsIssues(pipeline: Pipeline, surroundings: StepSurroundings): ValidationIssue[] {
  const hint = spellingHints();
  const endpoints = new Map(
    pipeline.nodes.flatMap((node) => (node.kind === 'step' ? [[node.id, node.endpoint]] : [])),
  );
  return pipeline.nodes.flatMap((node, index) => {
    if (node.kind === 'condition') return [];
    const path = ['nodes', index];
    const args = Object.entries(node.args).map(
      ([name, text]) => [name, parameter(text, [...path, 'args', name])] as const,
    );
    const { agentName } = node;
    return [
      ...(agentName === undefined
        ? []
        : agentIssues(parameter(agentName, [...path, 'agent_name']), surroundings, hint)),
      ...callIssues(
        {
          path,
          endpoint: node.endpoint,
          args: new Map(args),
          env: Object.keys(node.env),
          endpointOf: (step) => endpoints.get(step),
        },
        surroundings,
        hint,
      ),
    ];
  });
}

function parameter(text: string, path: Path): Parameter {
  const read = parseTextTemplate(text);
  return read.kind === 'template' ? { path, text, template: read.template } : { path, text };
}
