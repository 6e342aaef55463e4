import { type Pipeline, type PipelineNode, TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import { Button } from '../../design/Button.tsx';
import { renamed, without } from '../graph/changes.ts';
import { issueOf, type ValidationIssue } from '../graph/findings.ts';
import { AfterField } from './AfterField.tsx';
import { ConditionPanel } from './ConditionPanel.tsx';
import { NameField } from './NameField.tsx';
import { StepPanel } from './StepPanel.tsx';
import { TriggerPanel } from './TriggerPanel.tsx';

export interface NodePanelProps {
  readonly pipeline: Pipeline;
  readonly id: string;
  readonly findings: readonly ValidationIssue[];
  readonly hasSecret: boolean;
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
  readonly onSelect: (id: string | undefined) => void;
}

/** The settings of the selected card. */
export function NodePanel({ pipeline, id, findings, hasSecret, onChange, onSelect }: NodePanelProps) {
  if (id === TRIGGER_ID)
    return (
      <Panel title="Trigger">
        <TriggerPanel pipeline={pipeline} findings={findings} hasSecret={hasSecret} onChange={onChange} />
      </Panel>
    );
  const node = pipeline.nodes.find((one) => one.id === id);
  if (node === undefined) return null;
  const rename = (to: string) => {
    onChange((drawn) => renamed(drawn, id, to));
    onSelect(to);
  };
  return (
    <Panel title={node.kind === 'step' ? 'Step' : 'Condition'}>
      <NameField key={id} id={id} problem={issueOf(findings, 'id')} onRename={rename} />
      <Kind node={node} findings={findings} onChange={onChange} />
      <AfterField pipeline={pipeline} id={id} onChange={onChange} />
      <NodeProblems findings={findings} />
      <Button
        kind="danger"
        onClick={() => {
          onChange((drawn) => without(drawn, id));
          onSelect(undefined);
        }}
      >
        Remove {node.kind} {id}
      </Button>
    </Panel>
  );
}

interface KindProps extends Pick<NodePanelProps, 'findings' | 'onChange'> {
  readonly node: PipelineNode;
}

function Kind({ node, ...rest }: KindProps) {
  return node.kind === 'step' ? (
    <StepPanel step={node} {...rest} />
  ) : (
    <ConditionPanel condition={node} {...rest} />
  );
}

/** The problems of the whole node or its edges; those of a field stand at the field. */
function NodeProblems({ findings }: Pick<NodePanelProps, 'findings'>) {
  return findings
    .filter(({ path }) => !path.includes('.'))
    .map(({ path, message }) => (
      <p key={`${path} ${message}`} className="text-sm text-bad">
        {message}
      </p>
    ));
}

function Panel({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section
      aria-label={title}
      className="flex min-w-0 flex-col gap-4 rounded border border-line bg-raised p-3"
    >
      <h2 className="text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}
