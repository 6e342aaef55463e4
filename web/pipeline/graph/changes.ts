import {
  type ConditionNode,
  type Edge,
  type Pipeline,
  type PipelineNode,
  type StepNode,
  TRIGGER_ID,
} from '@svc/core/pipeline/definition/pipeline';

// The changes of a graph in the editor. Each returns a new pipeline, valid or not; the editor shows the problems.

const NEW_STEP = 'step';

/** Adds a step after a node. */
export function withStep(pipeline: Pipeline, endpoint: string, after: string): [Pipeline, string] {
  const id = freeId(pipeline, stepName(endpoint));
  const step: StepNode = { kind: 'step', id, endpoint, args: {}, env: {}, onFailure: 'stop' };
  return [added(pipeline, step, after), id];
}

/**
 * Sets the endpoint of a step, which is renamed with it as long as its name came from its endpoint and no other node refers to it.
 * The second result is its name.
 */
export function withEndpoint(pipeline: Pipeline, step: StepNode, endpoint: string): [Pipeline, string] {
  const changed = withSettings(pipeline, step, { endpoint });
  if (!isNamedAfter(step.id, stepName(step.endpoint)) || isReferredTo(pipeline, step.id))
    return [changed, step.id];
  const others = { ...changed, nodes: changed.nodes.filter(({ id }) => id !== step.id) };
  const id = freeId(others, stepName(endpoint));
  return [id === step.id ? changed : renamed(changed, step.id, id), id];
}

function stepName(endpoint: string): string {
  return endpoint.replace(/^[^A-Za-z_]+/, '') || NEW_STEP;
}

/** Whether an argument, a variable or a condition refers to the step. */
function isReferredTo({ nodes }: Pipeline, id: string): boolean {
  return JSON.stringify(nodes).includes(`{steps.${id}.`);
}

/** The name itself, or the name with a number. */
function isNamedAfter(id: string, name: string): boolean {
  return id === name || (id.startsWith(`${name.slice(0, 60)}_`) && /_\d+$/.test(id));
}

/** Adds a condition after a node; it is true until the person writes an expression. */
export function withCondition(pipeline: Pipeline, after: string): [Pipeline, string] {
  const id = freeId(pipeline, 'condition');
  return [added(pipeline, { kind: 'condition', id, expression: 'true' }, after), id];
}

/** Replaces a node and keeps its edges. */
export function withNode(pipeline: Pipeline, node: PipelineNode): Pipeline {
  return { ...pipeline, nodes: pipeline.nodes.map((one) => (one.id === node.id ? node : one)) };
}

/** Changed settings of a step; undefined removes a setting. */
export type StepChange = { readonly [Key in keyof StepNode]?: StepNode[Key] | undefined };

export function withSettings(pipeline: Pipeline, step: StepNode, change: StepChange): Pipeline {
  const settings = Object.entries({ ...step, ...change }).filter(([, value]) => value !== undefined);
  return withNode(pipeline, Object.fromEntries(settings) as unknown as StepNode);
}

/** Renames a node and its edges. A name that is in use changes nothing. */
export function renamed(pipeline: Pipeline, from: string, to: string): Pipeline {
  if (to === TRIGGER_ID || pipeline.nodes.some(({ id }) => id === to)) return pipeline;
  const name = (id: string) => (id === from ? to : id);
  return {
    ...pipeline,
    nodes: pipeline.nodes.map((node) => (node.id === from ? { ...node, id: to } : node)),
    edges: pipeline.edges.map((edge) => ({ ...edge, from: name(edge.from), to: name(edge.to) })),
  };
}

/** Removes a node; nodes that ran only after it now run after its predecessors. */
export function without(pipeline: Pipeline, id: string): Pipeline {
  const before = pipeline.edges.filter((edge) => edge.to === id);
  const rest = pipeline.edges.filter((edge) => edge.from !== id && edge.to !== id);
  const after = pipeline.edges.filter((edge) => edge.from === id).map(({ to }) => to);
  const orphans = [...new Set(after)].filter((to) => !rest.some((edge) => edge.to === to));
  const heirs = orphans.flatMap((to) => before.map((edge): Edge => ({ ...edge, to })));
  return { ...pipeline, nodes: pipeline.nodes.filter((node) => node.id !== id), edges: [...rest, ...heirs] };
}

/** Adds an edge; from a condition, one for `when`. */
export function connected(pipeline: Pipeline, from: string, to: string, when = true): Pipeline {
  if (from === to || to === TRIGGER_ID) return pipeline;
  const edge = isCondition(pipeline, from) ? { from, to, when } : { from, to };
  return isThere(pipeline, edge) ? pipeline : { ...pipeline, edges: [...pipeline.edges, edge] };
}

export function disconnected(pipeline: Pipeline, edge: Edge): Pipeline {
  return { ...pipeline, edges: pipeline.edges.filter((one) => !isSame(one, edge)) };
}

/** Switches an edge of a condition between true and false. */
export function flipped(pipeline: Pipeline, edge: Edge): Pipeline {
  const other = { ...edge, when: edge.when === false };
  if (isThere(pipeline, other)) return pipeline;
  return { ...pipeline, edges: pipeline.edges.map((one) => (isSame(one, edge) ? other : one)) };
}

export function isCondition({ nodes }: Pipeline, id: string): boolean {
  return nodes.some((node): node is ConditionNode => node.id === id && node.kind === 'condition');
}

function isThere({ edges }: Pipeline, edge: Edge): boolean {
  return edges.some((one) => isSame(one, edge));
}

/** Compares two edges; an edge of a condition without `when` means true. */
function isSame(one: Edge, other: Edge): boolean {
  return one.from === other.from && one.to === other.to && (one.when ?? true) === (other.when ?? true);
}

function added(pipeline: Pipeline, node: PipelineNode, after: string): Pipeline {
  return connected({ ...pipeline, nodes: [...pipeline.nodes, node] }, after, node.id);
}

function freeId({ nodes }: Pipeline, wanted: string): string {
  const taken = new Set([TRIGGER_ID, ...nodes.map(({ id }) => id)]);
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? wanted : `${wanted.slice(0, 60)}_${number}`;
    if (!taken.has(id)) return id;
  }
}
