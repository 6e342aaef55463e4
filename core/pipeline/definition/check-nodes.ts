import { shapeIssues } from '../../config/definition/shape-issues.ts';
import { isMapping } from '../../config/definition/sound-parts.ts';
import { atKey, atValue, type ValidationIssue } from '../../config/validation-issue.ts';
import { TRIGGER_ID } from './pipeline.ts';
import { conditionSchema, stepSchema } from './schema.ts';
import type { WrittenNode } from './written-node.ts';

/** The nodes with a usable id, the first of each id, and the issues of all nodes' shapes and ids. */
export function checkNodes(
  nodes: readonly WrittenNode[],
  hasEdges: boolean,
): { known: ReadonlyMap<string, WrittenNode>; issues: readonly ValidationIssue[] } {
  const known = new Map<string, WrittenNode>();
  const issues = nodes.flatMap((node) => {
    const idIssue = nameNode(node, known);
    return [...nodeShapeIssues(node), ...(idIssue ? [idIssue] : []), ...(hasEdges ? needsIssues(node) : [])];
  });
  return { known, issues };
}

function nodeShapeIssues({ kind, value, path }: WrittenNode): ValidationIssue[] {
  if (!isMapping(value))
    return [atValue(path, 'a step with an endpoint, or a condition with an expression expected')];
  const issues = shapeIssues(kind === 'step' ? stepSchema : conditionSchema, value);
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

function nameNode(node: WrittenNode, known: Map<string, WrittenNode>): ValidationIssue | undefined {
  const { id } = node.parts;
  if (id === undefined) return undefined;
  const at = [...node.path, 'id'];
  if (id === TRIGGER_ID) return atValue(at, `"${TRIGGER_ID}" is where a run begins; another id expected`);
  if (known.has(id)) return atValue(at, `id "${id}" stands twice; an id of its own expected`);
  known.set(id, node);
  return undefined;
}

function needsIssues({ value, path }: WrittenNode): ValidationIssue[] {
  if (!isMapping(value) || value.needs === undefined) return [];
  return [atKey([...path, 'needs'], '"needs" stands for edges, and there are "edges"; one of them expected')];
}
