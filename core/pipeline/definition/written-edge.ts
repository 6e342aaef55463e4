import type { Path } from '../../config/validation-issue.ts';
import { type Edge, TRIGGER_ID } from './pipeline.ts';
import type { PipelineFrame } from './schema.ts';
import type { WrittenNode } from './written-node.ts';

/** An edge and the positions of its two ends. */
export interface WrittenEdge extends Edge {
  readonly path: Path;
  readonly fromPath: Path;
  readonly toPath: Path;
}

/**
 * The edges from the key `edges` or, without it, from the `needs` of the nodes (decision 40, the definition of a pipeline).
 */
export function writtenEdges(
  edges: PipelineFrame['edges'],
  nodes: readonly WrittenNode[],
  path: Path,
): WrittenEdge[] {
  if (edges === undefined) return nodes.flatMap(neededEdges);
  return edges.map(({ from, to, when }, index) => {
    const at = [...path, 'edges', index];
    return { ...edge(from, to, when), path: at, fromPath: [...at, 'from'], toPath: [...at, 'to'] };
  });
}

/** A node without `needs` follows the trigger. */
function neededEdges({ parts, path }: WrittenNode): WrittenEdge[] {
  const { id, needs = [] } = parts;
  if (id === undefined) return [];
  if (needs.length === 0) return [{ from: TRIGGER_ID, to: id, path, fromPath: path, toPath: path }];
  return needs.map((need, index) => {
    const at = [...path, 'needs', index];
    const { node, when } = typeof need === 'string' ? { node: need, when: undefined } : need;
    return { ...edge(node, id, when), path: at, fromPath: at, toPath: at };
  });
}

/** The edge in its stored form. */
export function edge(from: string, to: string, when: boolean | undefined): Edge {
  return when === undefined ? { from, to } : { from, to, when };
}
