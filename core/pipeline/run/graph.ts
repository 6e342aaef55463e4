import { LIMITS } from '../../plan/limits.ts';
import type { StepNode } from '../definition/pipeline.ts';
import { type Edge, type Pipeline, type PipelineNode, TRIGGER_ID } from '../definition/pipeline.ts';
import type { Expression } from '../expression/expression.ts';
import { parseExpression, referencesOf } from '../expression/parse-expression.ts';
import type { StepField, ValueReference } from '../reference/reference.ts';
import {
  parseTextTemplate,
  referencesIn,
  type StepFile,
  stepFile,
  type TextTemplate,
} from '../reference/template.ts';

/** A pipeline prepared for runs: its texts are parsed once, and its edges are indexed from both ends. */
export interface Graph {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** The edges that leave a node, or the trigger. */
  readonly edgesFrom: (id: string) => readonly Edge[];
  /** The number of bytes of a step's result that are kept for later nodes. */
  readonly resultBytes: number;
}

export type GraphNode = {
  readonly id: string;
  /** The number of edges that lead to the node. */
  readonly parents: number;
} & (GraphStep | GraphCondition);

export interface GraphStep {
  readonly kind: 'step';
  readonly step: StepNode;
  readonly args: readonly (readonly [string, TextTemplate])[];
  /** The arguments that get a file of an earlier step. */
  readonly files: readonly (readonly [string, StepFile])[];
  readonly env: readonly (readonly [string, TextTemplate])[];
  readonly agentName: TextTemplate | undefined;
  /** The results that other nodes refer to. The rest of a result is not kept with the run. */
  readonly keeps: ReadonlySet<StepField>;
}

export interface GraphCondition {
  readonly kind: 'condition';
  readonly expression: Expression;
}

/** Prepares a pipeline for runs; it must have passed `checkPipeline`. */
export function graphOf({ nodes, edges }: Pipeline): Graph {
  const out = Map.groupBy(edges, ({ from }) => from);
  const parents = new Map<string, number>();
  for (const { to } of edges) parents.set(to, (parents.get(to) ?? 0) + 1);
  const keeps = new Map<string, Set<StepField>>(nodes.map(({ id }) => [id, new Set()]));
  const compiled = nodes.map((node): GraphNode => {
    const { part, references } = compile(node, keeps.get(node.id) ?? new Set());
    for (const reference of references)
      if (reference.from === 'step') keeps.get(reference.step)?.add(reference.field);
    return { id: node.id, parents: parents.get(node.id) ?? 0, ...part };
  });
  return {
    nodes: new Map(compiled.map((node) => [node.id, node])),
    edgesFrom: (id) => out.get(id) ?? [],
    resultBytes: resultBytes([...keeps.values()]),
  };
}

/** A run in memory includes the results of its steps, so the steps share one limit. */
function resultBytes(keeps: readonly ReadonlySet<StepField>[]): number {
  const kept = keeps.filter((fields) => fields.has('output') || fields.has('data')).length;
  return Math.min(LIMITS.stepResultBytes, Math.floor(LIMITS.runResultsBytes / Math.max(1, kept)));
}

/** The edges that leave the trigger. */
export function firstEdges(graph: Graph): readonly Edge[] {
  return graph.edgesFrom(TRIGGER_ID);
}

function compile(
  node: PipelineNode,
  keeps: ReadonlySet<StepField>,
): { part: GraphStep | GraphCondition; references: readonly ValueReference[] } {
  if (node.kind === 'condition') {
    const parsed = parseExpression(node.expression);
    if (parsed.kind === 'problem') throw new Error(`unchecked expression of "${node.id}": ${parsed.message}`);
    const references = referencesOf(parsed.expression).map(({ reference }) => reference);
    return { part: { kind: 'condition', expression: parsed.expression }, references };
  }
  const given = Object.entries(node.args).map(([name, text]) => [name, template(text)] as const);
  const args = given.filter(([, text]) => stepFile(text) === undefined);
  const files = given.flatMap(([name, text]) => {
    const file = stepFile(text);
    return file === undefined ? [] : [[name, file] as const];
  });
  const env = Object.entries(node.env).map(([name, text]) => [name, template(text)] as const);
  const agentName = node.agentName === undefined ? undefined : template(node.agentName);
  const templates = [...given, ...env].map(([, read]) => read);
  const references = [...templates, agentName ?? []].flatMap(referencesIn);
  return { part: { kind: 'step', step: node, args, files, env, agentName, keeps }, references };
}

function template(text: string): TextTemplate {
  const read = parseTextTemplate(text);
  if (read.kind === 'problem') throw new Error(`unchecked text ${JSON.stringify(text)}: ${read.message}`);
  return read.template;
}
