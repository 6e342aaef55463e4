import { clip } from '../../config/definition/clip.ts';
import { atKey, atValue, type ValidationIssue } from '../../config/validation-issue.ts';
import type { SpellingHint } from './hint.ts';
import { type Edge, TRIGGER_ID } from './pipeline.ts';
import type { WrittenEdge } from './written-edge.ts';
import type { WrittenNode } from './written-node.ts';

/** The nodes and edges to check. */
export interface GraphParts {
  readonly nodes: ReadonlyMap<string, WrittenNode>;
  readonly edges: readonly WrittenEdge[];
  readonly hint: SpellingHint;
}

/**
 * Checks that the edges form a graph without cycles, in which the trigger reaches every node (decision 40, the definition
 * of a pipeline).
 */
export function checkGraph(parts: GraphParts): ValidationIssue[] {
  const issues = [
    ...parts.edges.flatMap((edge) => endIssues(edge, parts)),
    ...twiceIssues(parts.edges),
    ...cycleIssues(parts.edges.filter(({ to }) => to !== TRIGGER_ID)),
  ];
  return [...issues, ...unreachableIssues(parts)];
}

function endIssues(edge: WrittenEdge, { nodes, hint }: GraphParts): ValidationIssue[] {
  const ids = [...nodes.keys()];
  const from = nodes.get(edge.from);
  const issues: ValidationIssue[] = [];
  if (edge.from !== TRIGGER_ID && from === undefined)
    issues.push(atValue(edge.fromPath, `there is no node "${clip(edge.from)}"${hint(edge.from, ids)}`));
  if (edge.to === TRIGGER_ID)
    issues.push(atValue(edge.toPath, 'nothing comes before the trigger; a node expected'));
  else if (!nodes.has(edge.to))
    issues.push(atValue(edge.toPath, `there is no node "${clip(edge.to)}"${hint(edge.to, ids)}`));
  if (edge.when !== undefined && (edge.from === TRIGGER_ID || from?.kind === 'step')) {
    const message = `"when" is about the answer of a condition, and "${edge.from}" is none; leave it out`;
    issues.push(atValue([...edge.path, 'when'], message));
  }
  return issues;
}

function twiceIssues(edges: readonly WrittenEdge[]): ValidationIssue[] {
  const seen = new Set<string>();
  return edges.flatMap(({ from, to, when, path }) => {
    const key = JSON.stringify([from, to, when ?? true]);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [atValue(path, `the edge from "${clip(from)}" to "${clip(to)}" stands twice; once is enough`)];
  });
}

const LONGEST_CIRCLE = 10;

function cycleIssues(edges: readonly WrittenEdge[]): ValidationIssue[] {
  const circle = findCycle(edges);
  const last = circle?.at(-1);
  if (circle === undefined || last === undefined) return [];
  const ids = [...circle.map(({ from }) => clip(from)), clip(last.to)];
  const hidden = ids.length - LONGEST_CIRCLE;
  const shown = hidden > 0 ? [...ids.slice(0, LONGEST_CIRCLE - 1), '…', ...ids.slice(-1)] : ids;
  const message = `the nodes wait for each other in a circle: ${shown.join(' → ')}; remove one of these edges`;
  return [atValue(last.path, message)];
}

/** Nodes behind an unreachable node or in a cycle are not reported again. */
function unreachableIssues({ nodes, edges }: GraphParts): ValidationIssue[] {
  const withParent = new Set(edges.map(({ to }) => to));
  return [...nodes].flatMap(([id, { path }]) => {
    if (withParent.has(id)) return [];
    const message = `node "${id}" is not reached: an edge to it expected, from "${TRIGGER_ID}" or from a node`;
    return [atKey([...path, 'id'], message)];
  });
}

/** The edges of one cycle, in order; undefined if there is none. */
export function findCycle<E extends Edge>(edges: readonly E[]): E[] | undefined {
  const stuck = stuckEdges(edges);
  const into = new Map(stuck.map((edge) => [edge.to, edge]));
  const walked: E[] = [];
  const at = new Map<string, number>();
  // Every stuck node has a stuck parent, so walking back along the edges must meet a node twice.
  for (let edge = stuck[0]; edge !== undefined; edge = into.get(edge.from)) {
    const start = at.get(edge.to);
    if (start !== undefined) return walked.slice(start).reverse();
    at.set(edge.to, walked.length);
    walked.push(edge);
  }
  return undefined;
}

/** The edges that remain after repeatedly removing the nodes whose parents are all removed. */
function stuckEdges<E extends Edge>(edges: readonly E[]): E[] {
  const waiting = new Map<string, number>();
  const out = Map.groupBy(edges, ({ from }) => from);
  for (const { to } of edges) waiting.set(to, (waiting.get(to) ?? 0) + 1);
  const done = [...out.keys()].filter((id) => !waiting.has(id));
  for (let id = done.pop(); id !== undefined; id = done.pop()) {
    for (const { to } of out.get(id) ?? []) {
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) done.push(to);
    }
  }
  return edges.filter(({ from, to }) => (waiting.get(from) ?? 0) > 0 && (waiting.get(to) ?? 0) > 0);
}
