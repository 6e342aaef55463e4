import { type Edge, type Pipeline, TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import {
  Background,
  type Connection,
  Controls,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './canvas.css';
import { useEffect, useMemo } from 'react';
import type { ShownNode } from './cards.ts';
import { type EdgeData, flowEdges, flowNodes, type NodeData } from './flow.ts';
import { NODE_TYPES } from './NodeCard.tsx';
import { useNavItems } from './use-places.ts';

interface PipelineCanvasProps {
  readonly pipeline: Pipeline;
  /** What the cards say besides: findings while it is drawn, states while it runs. */
  readonly shown: ReadonlyMap<string, ShownNode>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
  /** Absent: it is only looked at. */
  readonly editing?: {
    readonly onConnect: (from: string, to: string, when: boolean) => void;
    readonly onDisconnect: (edge: Edge) => void;
    readonly onRemove: (id: string) => void;
  };
}

const NOTHING = () => undefined;
const FIT = { maxZoom: 1, padding: 0.15 } as const;

/** The graph of a pipeline: drawn, or run. It lays itself out; cards that were dragged stay where they are. */
export function PipelineCanvas(props: PipelineCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ pipeline, shown, selected, onSelect, editing }: PipelineCanvasProps) {
  const { places, drag } = useNavItems(pipeline);
  const nodes = useMemo(
    () => flowNodes(pipeline, { places, shown, selected }),
    [pipeline, places, shown, selected],
  );
  const edges = useMemo(() => flowEdges(pipeline), [pipeline]);
  useFit(pipeline.nodes.length);
  const onNodesChange = (changes: readonly NodeChange[]) => {
    for (const change of changes) {
      if (change.type === 'position' && change.position) drag(change.id, change.position);
      if (change.type === 'select' && change.selected) onSelect(change.id);
      if (change.type === 'remove' && change.id !== TRIGGER_ID) editing?.onRemove(change.id);
    }
  };
  return (
    <div className="h-[28rem] overflow-hidden rounded border border-line bg-sunken" data-canvas="">
      <ReactFlow<NodeData, EdgeData>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onNodesChange={onNodesChange}
        onEdgesDelete={(gone) => {
          for (const { data } of gone) if (data) editing?.onDisconnect(data.edge);
        }}
        onConnect={editing ? connecting(editing.onConnect) : NOTHING}
        onPaneClick={() => onSelect(undefined)}
        nodesConnectable={editing !== undefined}
        deleteKeyCode={editing === undefined ? null : ['Delete', 'Backspace']}
        fitView
        fitViewOptions={FIT}
        minZoom={0.1}
        onlyRenderVisibleElements={pipeline.nodes.length > 100}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={16} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

/** A card more or less, and all of them are in sight again. */
function useFit(count: number): void {
  const { fitView } = useReactFlow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of cards alone says when.
  useEffect(() => void fitView(FIT), [fitView, count]);
}

/** A condition has a handle for each answer. */
function connecting(onConnect: (from: string, to: string, when: boolean) => void) {
  return ({ source, target, sourceHandle }: Connection) =>
    onConnect(source, target, sourceHandle !== 'false');
}
