import type { Endpoint } from '../../endpoint/definition.ts';
import { checkPipeline } from '../../pipeline/definition/check-pipeline.ts';
import type { Pipeline } from '../../pipeline/definition/pipeline.ts';
import { suggest } from '../../suggest.ts';
import { atValue, type Path, type ValidationIssue } from '../validation-issue.ts';
import type { TextAt } from './written-text.ts';

/** The pipelines of a file, and their validation issues. */
export interface CheckedPipelines {
  readonly pipelines: readonly Pipeline[];
  readonly issues: readonly ValidationIssue[];
  readonly warnings: readonly ValidationIssue[];
}

/**
 * Checks the items of `pipelines:`. A step may call an endpoint of another file or of the API, so an unknown endpoint is
 * only a warning. The hub knows all endpoints.
 */
export function checkPipelines(
  items: readonly unknown[],
  endpoints: readonly Endpoint[],
  textAt: TextAt,
): CheckedPipelines {
  const here = new Map(endpoints.map((endpoint) => [endpoint.slug, endpoint]));
  const checked = items.map((item, index) => {
    const path = ['pipelines', index];
    const one = checkPipeline(item, { path, textAt, isFile: true, endpoints: here, hasOthers: true });
    return one.kind === 'issues'
      ? { pipelines: [], issues: one.issues, warnings: [] }
      : {
          pipelines: [one.pipeline],
          issues: [],
          warnings: unknownEndpoints(one.pipeline, path, [...here.keys()]),
        };
  });
  return {
    pipelines: checked.flatMap((one) => one.pipelines),
    issues: checked.flatMap((one) => one.issues),
    warnings: checked.flatMap((one) => one.warnings),
  };
}

function unknownEndpoints({ nodes }: Pipeline, path: Path, here: readonly string[]): ValidationIssue[] {
  return nodes.flatMap((node, index) => {
    if (node.kind === 'condition' || here.includes(node.endpoint)) return [];
    const meant = suggest(node.endpoint, here);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    const message = `endpoint "${node.endpoint}" is not in this file; the hub must have it from elsewhere${hint}`;
    return [atValue([...path, 'nodes', index, 'endpoint'], message)];
  });
}
