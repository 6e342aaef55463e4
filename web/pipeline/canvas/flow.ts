import {
  type Edge,
  type Pipeline,
  type PipelineNode,
  TRIGGER_ID,
} from '@svc/core/pipeline/definition/pipeline';
import { type Edge as FlowEdge, type Node as FlowNode, MarkerType } from '@xyflow/react';
import { CARD, type Place } from '../graph/layout.ts';
import type { ShownNode } from './cards.ts';

export type NodeData = FlowNode<{ readonly title: string; readonly text: string; readonly shown: ShownNode }>;

interface Around {
  readonly places: ReadonlyMap<string, Place>;
  readonly shown: ReadonlyMap<string, ShownNode>;
  readonly selected: string | undefined;
}

/** The cards, as the canvas takes them. */
export function flowNodes({ trigger, nodes }: Pipeline, { places, shown, selected }: Around): NodeData[] {
  const begins = { id: TRIGGER_ID, kind: 'trigger', type: trigger.type, isPublic: trigger.public } as const;
  return [begins, ...nodes].map((node) => {
    const { title, text } = wordsOf(node);
    return {
      id: node.id,
      type: node.kind,
      position: { ...(places.get(node.id) ?? { x: 0, y: 0 }) },
      data: { title, text, shown: shown.get(node.id) ?? {} },
      selected: node.id === selected,
      deletable: node.id !== TRIGGER_ID,
      // Known before the browser has measured it, so that edges are drawn with the first frame.
      width: CARD.width,
      height: CARD.height,
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

/** An edge as the canvas has it, with ours in it. */
export type EdgeData = FlowEdge<{ readonly edge: Edge }>;

/** The edges; those of conditions say which answer they are for. */
export function flowEdges(pipeline: Pipeline): EdgeData[] {
  const conditions = new Set(pipeline.nodes.filter(({ kind }) => kind === 'condition').map(({ id }) => id));
  return pipeline.edges.map((edge) => {
    const isAnswer = conditions.has(edge.from);
    const answer = edge.when !== false;
    return {
      id: `${edge.from}>${edge.to}>${isAnswer ? answer : ''}`,
      source: edge.from,
      target: edge.to,
      ...(isAnswer && { sourceHandle: String(answer), label: answer ? 'if true' : 'if false' }),
      type: 'smoothstep',
      markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--edge)' },
      data: { edge },
      ariaLabel: `${edge.to} runs after ${edge.from}${isAnswer ? ` if it is ${answer}` : ''}`,
    };
  });
}
