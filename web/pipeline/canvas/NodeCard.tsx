import { Handle, type NodeProps, Position } from '@xyflow/react';
import { classes } from '../../design/classes.ts';
import { Mark } from '../../design/state/Mark.tsx';
import { STATES, TONE_CLASS } from '../../design/state/states.ts';
import { Visible } from '../../design/text/Code.tsx';
import type { NodeData } from './flow.ts';

/** A card of the graph: name, content, and state or problem. */
function NodeCard({ data, selected, type }: NodeProps<NodeData>) {
  const { title, text, shown } = data;
  return (
    <div
      title={shown.problem ?? text}
      className={classes(
        'flex h-full flex-col justify-center gap-0.5 rounded border bg-raised px-3',
        shown.problem !== undefined ? 'border-bad' : selected ? 'border-accent' : 'border-edge',
        selected && 'outline-2 outline-accent',
        type === 'condition' && 'border-dashed',
        type === 'trigger' && 'bg-paper',
      )}
    >
      {type !== 'trigger' && <Handle type="target" position={Position.Left} />}
      <div className="flex items-center justify-between gap-2">
        <code className="truncate font-semibold">
          <Visible text={title} />
        </code>
        <CardState shown={shown} />
      </div>
      <div className={classes('truncate text-xs', shown.problem === undefined ? 'text-soft' : 'text-bad')}>
        <Visible text={shown.problem ?? shown.note ?? text} />
      </div>
      {type === 'condition' ? (
        <>
          <Handle id="true" type="source" position={Position.Right} className="top-1/3!" />
          <Handle id="false" type="source" position={Position.Right} className="top-2/3!" />
        </>
      ) : (
        <Handle type="source" position={Position.Right} />
      )}
    </div>
  );
}

function CardState({ shown: { state, problem } }: Pick<NodeData['data'], 'shown'>) {
  if (problem !== undefined)
    return (
      <span className="text-bad">
        <Mark shape="cross" />
        <span className="sr-only">Has a problem</span>
      </span>
    );
  if (state === undefined) return null;
  const { mark, word, tone } = STATES[state === 'waiting_approval' ? 'pending_approval' : state];
  return (
    <span title={word} className={classes('flex items-center', TONE_CLASS[tone])}>
      <Mark shape={mark} />
      <span className="sr-only">{word}</span>
    </span>
  );
}

export const NODE_TYPES = { trigger: NodeCard, step: NodeCard, condition: NodeCard };
