import { type Edge, type Pipeline, TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import { Button } from '../../design/Button.tsx';
import { Select } from '../../design/form/Select.tsx';
import { connected, disconnected, flipped, isCondition } from '../graph/changes.ts';

interface AfterFieldProps {
  readonly pipeline: Pipeline;
  readonly id: string;
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
}

/** The predecessors of a node, as an alternative to dragging edges. */
export function AfterField({ pipeline, id, onChange }: AfterFieldProps) {
  const edges = pipeline.edges.filter(({ to }) => to === id);
  const others = [TRIGGER_ID, ...pipeline.nodes.map((node) => node.id)].filter(
    (other) => other !== id && !edges.some(({ from }) => from === other),
  );
  const options = [{ value: '', label: 'Add node…' }, ...others.map((value) => ({ value, label: value }))];
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-sm font-semibold">Runs after</legend>
      {edges.map((edge) => (
        <Before
          key={`${edge.from} ${edge.when}`}
          edge={edge}
          isConditional={isCondition(pipeline, edge.from)}
          onFlip={() => onChange((drawn) => flipped(drawn, edge))}
          onRemove={() => onChange((drawn) => disconnected(drawn, edge))}
        />
      ))}
      <Select
        label="Run after"
        isLabelHidden
        options={options}
        value=""
        onChange={(from) => from !== '' && onChange((drawn) => connected(drawn, from, id))}
      />
    </fieldset>
  );
}

interface BeforeProps {
  readonly edge: Edge;
  readonly isConditional: boolean;
  readonly onFlip: () => void;
  readonly onRemove: () => void;
}

function Before({ edge: { from, when }, isConditional, onFlip, onRemove }: BeforeProps) {
  const value = when === false ? 'false' : 'true';
  return (
    <div className="flex items-center justify-between gap-2">
      <code className="truncate">{from}</code>
      <span className="flex shrink-0">
        {isConditional && (
          <Button
            kind="plain"
            onClick={onFlip}
            aria-label={`If ${from} is ${value}: switch to ${value === 'true' ? 'false' : 'true'}`}
          >
            if {value}
          </Button>
        )}
        <Button kind="plain" className="text-bad" onClick={onRemove} aria-label={`Remove ${from}`}>
          Remove
        </Button>
      </span>
    </div>
  );
}
