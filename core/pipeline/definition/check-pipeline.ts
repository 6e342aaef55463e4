import { shapeIssues } from '../../config/definition/shape-issues.ts';
import { isMapping, soundParts } from '../../config/definition/sound-parts.ts';
import type { TextAt } from '../../config/definition/written-text.ts';
import {
  atKey,
  atValue,
  formatPath,
  type Path,
  type ValidationIssue,
} from '../../config/validation-issue.ts';
import { needsKnownRequester } from '../../endpoint/four-eyes.ts';
import { LIMITS } from '../../plan/limits.ts';
import { parseExpression, referencesOf } from '../expression/parse-expression.ts';
import { ancestry } from './ancestors.ts';
import type { KnownEndpoints, StepSurroundings } from './check-call.ts';
import { checkGraph } from './check-graph.ts';
import { checkReferences, type UsedReference } from './check-references.ts';
import { checkStep } from './check-step.ts';
import { checkTrigger, declaredFields } from './check-trigger.ts';
import { spellingHints } from './hint.ts';
import { type Pipeline, TRIGGER_ID } from './pipeline.ts';
import { pipelineFromDefinition } from './pipeline-from-definition.ts';
import { conditionSchema, pipelineFrameSchema, stepSchema } from './schema.ts';
import { writtenEdges } from './written-edge.ts';
import { type WrittenNode, writtenNodes } from './written-node.ts';
import { type NamedDefinition, withSlug } from './written-slug.ts';

/** A pipeline, or all validation issues of its definition by path. */
export type CheckedPipeline =
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline }
  | { readonly kind: 'issues'; readonly issues: readonly ValidationIssue[] };

/** The place of a definition and the surroundings of its pipeline. */
export interface PipelineSurroundings extends StepSurroundings {
  /** The path of an item of `pipelines:`; empty for a body. */
  readonly path?: Path;
  readonly textAt?: TextAt;
  /** The definition is in a file, which must not contain secrets. */
  readonly isFile?: boolean;
}

/**
 * Reads a pipeline from a body of the API or from an item of `pipelines:` in svc.yaml (decision 40, the definition of a
 * pipeline). Both may write `name` for `slug`, leave out `kind`, and write `needs` instead of `edges`.
 */
export function checkPipeline(value: unknown, surroundings: PipelineSurroundings = {}): CheckedPipeline {
  const { path = [] } = surroundings;
  if (!isMapping(value))
    return { kind: 'issues', issues: [atValue(path, 'a map with a name and nodes expected')] };
  const named = withSlug(value, path);
  const shapes = [
    ...named.issues,
    ...shapeIssues(pipelineFrameSchema(), named.value).map(withoutSecret).map(named.placed),
  ];
  if (isOversized(named.value)) return { kind: 'issues', issues: shapes };
  return checkContents(named, shapes, { ...surroundings, path });
}

/** Messages repeat the wrong value, except a secret. */
function withoutSecret(issue: ValidationIssue): ValidationIssue {
  const isSecret = formatPath(issue.path) === 'trigger.secret';
  return isSecret ? { ...issue, message: 'a text that is not empty expected' } : issue;
}

/** For a list that is too long, only its length is reported and its items are not checked. */
function isOversized({ nodes, edges }: NamedDefinition['value']): boolean {
  const isLonger = (list: unknown, max: number) => Array.isArray(list) && list.length > max;
  return isLonger(nodes, LIMITS.pipelineNodes) || isLonger(edges, LIMITS.pipelineEdges);
}

type Placed = PipelineSurroundings & { readonly path: Path };

function checkContents(
  { value }: NamedDefinition,
  shapes: readonly ValidationIssue[],
  { path, textAt = () => undefined, isFile = false, ...surroundings }: Placed,
): CheckedPipeline {
  const hint = spellingHints();
  const nodes = writtenNodes(value.nodes, [...path, 'nodes']);
  const { known, issues: nodeIssues } = checkNodes(nodes, value.edges !== undefined);
  const endpointOf = (id: string) => {
    const node = known.get(id);
    return node?.kind === 'step' ? node.parts.endpoint : undefined;
  };
  const checked = nodes.map((node) =>
    node.kind === 'step'
      ? checkStep(node, { ...surroundings, hint, textAt, endpointOf })
      : checkCondition(node),
  );
  const { edges, issues: edgeIssues, runsBefore } = checkEdges(value, { nodes, known, path, hint });
  const referable = { fields: declaredFields(value.trigger), nodes: known, runsBefore, hint };
  const issues = [
    ...shapes,
    ...checkTrigger(value.trigger, [...path, 'trigger'], isFile),
    ...nodeIssues,
    ...checked.flatMap((node) => node.issues),
    ...edgeIssues,
    ...checkReferences(
      checked.flatMap(({ references }) => references),
      referable,
    ),
  ];
  const frame = pipelineFrameSchema().safeParse(value);
  if (issues.length > 0 || !frame.success) return { kind: 'issues', issues };
  const pipeline = pipelineFromDefinition(frame.data, { nodes, edges, textAt });
  const unknown = unknownCallerIssues(pipeline, surroundings.endpoints, path);
  return unknown.length > 0 ? { kind: 'issues', issues: unknown } : { kind: 'pipeline', pipeline };
}

type GraphSurroundings = Pick<Parameters<typeof checkGraph>[0], 'hint'> & {
  readonly nodes: ReturnType<typeof writtenNodes>;
  readonly known: Parameters<typeof checkGraph>[0]['nodes'];
  readonly path: Path;
};

/** If an id or an edge cannot be read, the graph is not checked, because most of its issues would be wrong. */
function checkEdges(value: NamedDefinition['value'], { nodes, known, path, hint }: GraphSurroundings) {
  const parts = soundParts(pipelineFrameSchema(), value);
  const edges = writtenEdges(parts.edges, nodes, path);
  const areReadable = value.edges === undefined || parts.edges !== undefined;
  if (!areReadable || nodes.some(({ parts: { id } }) => id === undefined))
    return { edges, issues: [], runsBefore: () => true };
  if (edges.length > LIMITS.pipelineEdges) {
    const message = `the nodes need ${edges.length} others together: at most ${LIMITS.pipelineEdges} expected`;
    return { edges, issues: [atValue([...path, 'nodes'], message)], runsBefore: () => true };
  }
  const issues = checkGraph({ nodes: known, edges, hint });
  return { edges, issues, runsBefore: ancestry([...known.keys()], edges) };
}

type Condition = Extract<WrittenNode, { kind: 'condition' }>;

/** Checks that the expression of a condition can be parsed (decision 42, references and conditions). */
function checkCondition({ parts, path }: Condition): {
  issues: readonly ValidationIssue[];
  references: readonly UsedReference[];
} {
  if (parts.expression === undefined) return { issues: [], references: [] };
  const at = [...path, 'expression'];
  const parsed = parseExpression(parts.expression);
  if (parsed.kind === 'problem') {
    const message = `expression: ${parsed.message} (character ${parsed.offset + 1})`;
    return { issues: [atValue(at, message, parsed.offset)], references: [] };
  }
  const references = referencesOf(parsed.expression).map((used) => ({ ...used, user: parts.id, path: at }));
  return { issues: [], references };
}

/**
 * The steps that need the approval of a person other than the caller, in a pipeline whose trigger has no known caller: a
 * public or a signed one (decision 60, the file is a floor).
 */
function unknownCallerIssues(
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

/** The nodes with a usable id, the first of each id, and the issues of all nodes' shapes and ids. */
function checkNodes(
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
  const issues = shapeIssues(kind === 'step' ? stepSchema() : conditionSchema(), value);
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
