import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import type { Answer } from '../../api/read.ts';

export type ValidationIssue = Answer<'checkPipeline'>['findings'][number];

const PLACE = /^(nodes|edges)\[(\d+)\](?:\.(.*))?$/;

/** Findings by the node that they are about; those of an edge stand at the node that it leads to. */
export function issuesByNode(
  { nodes, edges }: Pipeline,
  findings: readonly ValidationIssue[],
): ReadonlyMap<string, readonly ValidationIssue[]> {
  return Map.groupBy(findings, ({ path }) => {
    const [, list, index] = PLACE.exec(path) ?? [];
    if (list === 'nodes') return nodes[Number(index)]?.id ?? '';
    if (list === 'edges') return edges[Number(index)]?.to ?? '';
    return path.startsWith('trigger') ? 'trigger' : '';
  });
}

/** Of one node those about a field of it, such as `endpoint` or `args.branch`. */
export function issueOf(findings: readonly ValidationIssue[], field: string): string | undefined {
  return findings.find(({ path }) => PLACE.exec(path)?.[3] === field)?.message;
}
