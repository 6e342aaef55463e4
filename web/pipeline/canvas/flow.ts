import {
  type Edge,
  type Pipeline,
  type PipelineNode,
  TRIGGER_ID,
} from '@svc/core/pipeline/definition/pipeline';
import { type Edge as FlowEdge, type Node as FlowNode, MarkerType } from '@xyflow/react';
import type { CardPosition, CardSize } from '../graph/layout.ts';
import type { ShownNode } from './cards.ts';

export type NodeData = FlowNode<{ readonly title: string; readonly text: string; readonly shown: ShownNode }>;

interface CardContext {
  readonly positions: ReadonlyMap<string, CardPosition>;
  readonly size: CardSize;
  readonly shown: ReadonlyMap<string, ShownNode>;
  readonly selected: string | undefined;
}

/** The cards for React Flow. */
export function flowNodes(
  { trigger, nodes }: Pipeline,
  { positions, size, shown, selected }: CardContext,
): NodeData[] {
  const triggerCard = {
    id: TRIGGER_ID,
    kind: 'trigger',
    type: trigger.type,
    isPublic: trigger.public,
  } as const;
  return [triggerCard, ...nodes].map((node) => {
    const { title, text } = wordsOf(node);
    return {
      id: node.id,
      type: node.kind,
      position: { ...(positions.get(node.id) ?? { x: 0, y: 0 }) },
      data: { title, text, shown: shown.get(node.id) ?? {} },
      selected: node.id === selected,
      deletable: node.id !== TRIGGER_ID,
      // Set before the browser measures the card, so that edges appear in the first frame.
      width: size.width,
      height: size.height,
      ariaLabel: `${node.kind} ${title}: ${text}`,
    };
  });
}

type Card = PipelineNode | { readonly kind: 'trigger'; readonly type: string; readonly isPublic: boolean };

function wordsOf(node: Card): { readonly title: string; readonly text: string } {
  switch (node.kind) {
    case 'trigger':
      return { title: 'trigger', text: `${node.type}${node.isPublic ? ', public' : ''}` };
    case 'step':
      return { title: node.id, text: `runs ${node.endpoint || 'nothing yet'}` };
    case 'condition':
      return { title: node.id, text: node.expression };
  }
}

/** An edge of React Flow with the edge of the pipeline as its data. */
export type EdgeData = FlowEdge<{ readonly edge: Edge }, 'smoothstep'> & {
  readonly pathOptions: { readonly offset: number };
};

/** The edges for React Flow; edges of conditions are labelled true or false. */
export function flowEdges(pipeline: Pipeline): EdgeData[] {
  const conditions = new Set(pipeline.nodes.filter(({ kind }) => kind === 'condition').map(({ id }) => id));
  return pipeline.edges.map((edge) => {
    const isConditional = conditions.has(edge.from);
    const when = edge.when !== false;
    return {
      id: `${edge.from}>${edge.to}>${isConditional ? when : ''}`,
      source: edge.from,
      target: edge.to,
      ...(isConditional && { sourceHandle: String(when), label: when ? 'if true' : 'if false' }),
      type: 'smoothstep',
      // Straight parts at both ends that together are longer than the room between two cards would put a bump between them.
      pathOptions: { offset: 12 },
      markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--edge)' },
      data: { edge },
      ariaLabel: `${edge.to} runs after ${edge.from}${isConditional ? ` if ${when}` : ''}`,
    };
  });
}
