import { type Edge, type Pipeline, TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import {
  Background,
  type Connection,
  Controls,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  useUpdateNodeInternals,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './canvas.css';
import { useEffect, useMemo, useState } from 'react';
import { classes } from '../../design/classes.ts';
import { useMedia } from '../../design/use-media.ts';
import {
  CARD,
  type CardPosition,
  type CardSize,
  type Direction,
  layoutOf,
  NARROW_CARD,
} from '../graph/layout.ts';
import { startView } from '../graph/start-view.ts';
import type { ShownNode } from './cards.ts';
import { type EdgeData, flowEdges, flowNodes, type NodeData } from './flow.ts';
import { DirectionContext, NODE_TYPES } from './NodeCard.tsx';

interface PipelineCanvasProps {
  readonly pipeline: Pipeline;
  /** The problems of cards in the editor, the states of cards in a run. */
  readonly shown: ReadonlyMap<string, ShownNode>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
  /** Default: downwards where there is no room for cards side by side. */
  readonly direction?: Direction | undefined;
  /** The height of the canvas, as a class. */
  readonly height?: string;
  /** Absent: the graph is read-only. */
  readonly editing?: {
    readonly onConnect: (from: string, to: string, when: boolean) => void;
    readonly onDisconnect: (edge: Edge) => void;
    readonly onRemove: (id: string) => void;
  };
}

const DO_NOTHING = () => undefined;
/** Cards side by side need more room than a phone has. */
const NARROW = '(max-width: 699px)';

/** The graph of a pipeline, in the editor or in a run. The layout is automatic; dragged cards keep their position. */
export function PipelineCanvas(props: PipelineCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas(props: PipelineCanvasProps) {
  const { pipeline, shown, selected, onSelect, editing, height = 'h-[28rem]' } = props;
  const isNarrow = useMedia(NARROW);
  const direction = props.direction ?? (isNarrow ? 'TB' : 'LR');
  const size = isNarrow ? NARROW_CARD : CARD;
  const { positions, drag } = useCardPositions(pipeline, direction, size);
  const nodes = useMemo(
    () => flowNodes(pipeline, { positions, size, shown, selected }),
    [pipeline, positions, size, shown, selected],
  );
  const edges = useMemo(() => flowEdges(pipeline), [pipeline]);
  useStartView({ positions, direction, size }, selected);
  const onNodesChange = (changes: readonly NodeChange[]) => {
    for (const change of changes) {
      if (change.type === 'position' && change.position) drag(change.id, change.position);
      if (change.type === 'select' && change.selected) onSelect(change.id);
      if (change.type === 'remove' && change.id !== TRIGGER_ID) editing?.onRemove(change.id);
    }
  };
  return (
    <div className={classes('overflow-hidden rounded border border-line bg-sunken', height)} data-canvas="">
      <DirectionContext value={direction}>
        <ReactFlow<NodeData, EdgeData>
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          onNodesChange={onNodesChange}
          onEdgesDelete={(deleted) => {
            for (const { data } of deleted) if (data) editing?.onDisconnect(data.edge);
          }}
          onConnect={editing ? connecting(editing.onConnect) : DO_NOTHING}
          onPaneClick={() => onSelect(undefined)}
          nodesConnectable={editing !== undefined}
          deleteKeyCode={editing === undefined ? null : ['Delete', 'Backspace']}
          minZoom={0.1}
          onlyRenderVisibleElements={pipeline.nodes.length > 100}
          proOptions={{ hideAttribution: true }}
        >
          <Background gap={16} />
          <Controls showInteractive={false} />
        </ReactFlow>
      </DirectionContext>
    </div>
  );
}

interface Layout {
  readonly positions: ReadonlyMap<string, CardPosition>;
  readonly direction: Direction;
  readonly size: CardSize;
}

/** Shows the start of the graph, and the selected card, when the number of cards or the room for them changes. */
function useStartView({ positions, direction, size }: Layout, selected: string | undefined): void {
  const { setViewport } = useReactFlow();
  const update = useUpdateNodeInternals();
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a card that is dragged or selected moves nothing.
  useEffect(() => {
    if (width > 0) void setViewport(startView(positions, { width, height }, selected, size));
  }, [setViewport, positions.size, direction, size, width, height]);
  // The handles are at other sides then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the direction moves handles.
  useEffect(() => update([...positions.keys()]), [update, direction]);
}

/** The handler of a new connection; a condition has one handle for true and one for false. */
function connecting(onConnect: (from: string, to: string, when: boolean) => void) {
  return ({ source, target, sourceHandle }: Connection) =>
    onConnect(source, target, sourceHandle !== 'false');
}

/** The positions of the cards: laid out again when nodes or edges change, except dragged cards. */
function useCardPositions({ nodes, edges }: Pipeline, direction: Direction, size: CardSize) {
  const [dragged, setDragged] = useState<ReadonlyMap<string, CardPosition>>(new Map());
  const shape = JSON.stringify([nodes.map(({ id }) => id), edges.map(({ from, to }) => [from, to])]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the shape of the graph decides the layout.
  const laidOut = useMemo(() => layoutOf({ nodes, edges }, direction, size), [shape, direction, size]);
  const positions = useMemo(() => new Map([...laidOut, ...dragged]), [laidOut, dragged]);
  const drag = (id: string, position: CardPosition) =>
    setDragged((before) => new Map(before).set(id, position));
  return { positions, drag };
}
