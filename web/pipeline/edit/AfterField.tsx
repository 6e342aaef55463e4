import { type Edge, type Pipeline, TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import { Button } from '../../design/Button.tsx';
import { Select } from '../../design/form/Select.tsx';
import { connected, disconnected, isCondition, turned } from '../graph/changes.ts';

interface AfterFieldProps {
  readonly pipeline: Pipeline;
  readonly id: string;
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
}

/** What a node runs after, for those who do not drag edges. */
export function AfterField({ pipeline, id, onChange }: AfterFieldProps) {
  const edges = pipeline.edges.filter(({ to }) => to === id);
  const others = [TRIGGER_ID, ...pipeline.nodes.map((node) => node.id)].filter(
    (other) => other !== id && !edges.some(({ from }) => from === other),
  );
  const options = [
    { value: '', label: 'another node…' },
    ...others.map((value) => ({ value, label: value })),
  ];
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-sm font-semibold">Runs after</legend>
      {edges.map((edge) => (
        <Before
          key={`${edge.from} ${edge.when}`}
          edge={edge}
          isAnswer={isCondition(pipeline, edge.from)}
          onTurn={() => onChange((drawn) => turned(drawn, edge))}
          onRemove={() => onChange((drawn) => disconnected(drawn, edge))}
        />
      ))}
      <Select
        label="Let it run after"
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
  readonly isAnswer: boolean;
  readonly onTurn: () => void;
  readonly onRemove: () => void;
}

function Before({ edge: { from, when }, isAnswer, onTurn, onRemove }: BeforeProps) {
  const answer = when === false ? 'false' : 'true';
  return (
    <div className="flex items-center justify-between gap-2">
      <code className="truncate">{from}</code>
      <span className="flex shrink-0">
        {isAnswer && (
          <Button
            kind="plain"
            onClick={onTurn}
            aria-label={`if ${answer}, of ${from}: turn to the other answer`}
          >
            if {answer}
          </Button>
        )}
        <Button
          kind="plain"
          className="text-bad"
          onClick={onRemove}
          aria-label={`Remove: do not wait for ${from}`}
        >
          Remove
        </Button>
      </span>
    </div>
  );
}
