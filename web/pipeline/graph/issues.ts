import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import type { Answer } from '../../api/read.ts';

export type PipelineIssue = Answer<'checkPipeline'>['findings'][number];

const PLACE = /^(nodes|edges)\[(\d+)\](?:\.(.*))?$/;

/** Issues by node; an issue of an edge belongs to the node that the edge leads to. */
export function issuesByNode(
  { nodes, edges }: Pipeline,
  issues: readonly PipelineIssue[],
): ReadonlyMap<string, readonly PipelineIssue[]> {
  return Map.groupBy(issues, ({ path }) => {
    const [, list, index] = PLACE.exec(path) ?? [];
    if (list === 'nodes') return nodes[Number(index)]?.id ?? '';
    if (list === 'edges') return edges[Number(index)]?.to ?? '';
    return path.startsWith('trigger') ? 'trigger' : '';
  });
}

/** The issue of a field of a node, such as `endpoint` or `args.branch`. */
export function issueOf(issues: readonly PipelineIssue[], field: string): string | undefined {
  return issues.find(({ path }) => PLACE.exec(path)?.[3] === field)?.message;
}
