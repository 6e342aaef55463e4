import { atValue, type Path, type ValidationIssue } from '../../config/validation-issue.ts';
import { needsKnownRequester } from '../../endpoint/four-eyes.ts';
import type { KnownEndpoints } from './check-call.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * The steps that need the approval of a person other than the caller, in a pipeline whose trigger has no known caller: a
 * public or a signed one (decision 60, the file is a floor).
 */
export function unknownCallerIssues(
  { trigger, nodes }: Pick<Pipeline, 'trigger' | 'nodes'>,
  endpoints: KnownEndpoints | undefined,
  path: Path,
): ValidationIssue[] {
  const way = trigger.secret === undefined ? 'a public trigger' : 'a signed trigger';
  if (!trigger.public && trigger.secret === undefined) return [];
  return nodes.flatMap((node, index) => {
    const endpoint = node.kind === 'step' ? endpoints?.get(node.endpoint) : undefined;
    if (node.kind !== 'step' || endpoint === undefined || !needsKnownRequester(endpoint)) return [];
    const message = `endpoint "${node.endpoint}" has "allow_self: false", and ${way} has no known caller (decision 60)`;
    return [atValue([...path, 'nodes', index, 'endpoint'], message)];
  });
}
