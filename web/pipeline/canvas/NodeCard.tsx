import { Handle, type NodeProps, Position } from '@xyflow/react';
import { createContext, useContext } from 'react';
import { classes } from '../../design/classes.ts';
import { Mark } from '../../design/state/Mark.tsx';
import { STATES, TONE_CLASS } from '../../design/state/states.ts';
import { Visible } from '../../design/text/Code.tsx';
import type { Direction } from '../graph/layout.ts';
import type { NodeData } from './flow.ts';

/** Where the graph around a card runs to. */
export const DirectionContext = createContext<Direction>('LR');

/** A card of the graph: name, content, and state or problem. */
function NodeCard({ data, selected, type }: NodeProps<NodeData>) {
  const { title, text, shown } = data;
  const isDown = useContext(DirectionContext) === 'TB';
  const [before, after] = isDown ? [Position.Top, Position.Bottom] : [Position.Left, Position.Right];
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
      {type !== 'trigger' && <Handle type="target" position={before} />}
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
          <Handle id="true" type="source" position={after} className={isDown ? 'left-1/3!' : 'top-1/3!'} />
          <Handle id="false" type="source" position={after} className={isDown ? 'left-2/3!' : 'top-2/3!'} />
        </>
      ) : (
        <Handle type="source" position={after} />
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
