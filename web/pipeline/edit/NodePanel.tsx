import {
  type ConditionNode,
  type Pipeline,
  type PipelineNode,
  TRIGGER_ID,
} from '@svc/core/pipeline/definition/pipeline';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/live/load-part.ts';
import { Button } from '../../design/Button.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { renamed, withNode, without } from '../graph/changes.ts';
import { issueOf, type PipelineIssue } from '../graph/issues.ts';
import { AfterField } from './AfterField.tsx';
import { TriggerPanel } from './TriggerPanel.tsx';

const StepPanel = lazyPart(async () => (await import('./StepPanel.tsx')).StepPanel);

export interface NodePanelProps {
  readonly pipeline: Pipeline;
  readonly id: string;
  readonly issues: readonly PipelineIssue[];
  readonly hasSecret: boolean;
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
  readonly onRemoved: () => void;
  /** The selected card has another name now. */
  readonly onRenamed: (id: string) => void;
}

/** The settings of the selected card. */
export function NodePanel(props: NodePanelProps) {
  const { pipeline, id, issues, hasSecret, onChange, onRemoved, onRenamed } = props;
  if (id === TRIGGER_ID)
    return (
      <Panel title="Trigger">
        <TriggerPanel pipeline={pipeline} issues={issues} hasSecret={hasSecret} onChange={onChange} />
      </Panel>
    );
  const node = pipeline.nodes.find((one) => one.id === id);
  if (node === undefined) return null;
  const rename = (to: string) => {
    onChange((drawn) => renamed(drawn, id, to));
    onRenamed(to);
  };
  return (
    <Panel title={node.kind === 'step' ? 'Step' : 'Condition'}>
      <NameField id={id} problem={issueOf(issues, 'id')} onRename={rename} />
      <Kind pipeline={pipeline} node={node} issues={issues} onChange={onChange} onRenamed={onRenamed} />
      <AfterField pipeline={pipeline} id={id} onChange={onChange} />
      <NodeProblems issues={issues} />
      <Button
        kind="danger"
        onClick={() => {
          onChange((drawn) => without(drawn, id));
          onRemoved();
        }}
      >
        Remove {node.kind} {id}
      </Button>
    </Panel>
  );
}

interface KindProps extends Pick<NodePanelProps, 'pipeline' | 'issues' | 'onChange' | 'onRenamed'> {
  readonly node: PipelineNode;
}

function Kind({ node, pipeline, onRenamed, ...rest }: KindProps) {
  if (node.kind === 'condition') return <ConditionPanel condition={node} {...rest} />;
  return (
    <Suspense fallback={<Loading what="the step" />}>
      <StepPanel pipeline={pipeline} step={node} onRenamed={onRenamed} {...rest} />
    </Suspense>
  );
}

/** The problems of the whole node or its edges; those of a field stand at the field. */
function NodeProblems({ issues }: Pick<NodePanelProps, 'issues'>) {
  return issues
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
      className="flex min-w-0 flex-col gap-4 rounded border border-line bg-raised p-4"
    >
      <h2 className="text-lg font-semibold">{title}</h2>
      {children}
    </section>
  );
}

interface ConditionPanelProps {
  readonly condition: ConditionNode;
  readonly issues: readonly PipelineIssue[];
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
}

function ConditionPanel({ condition, issues, onChange }: ConditionPanelProps) {
  return (
    <TextField
      label="Expression"
      value={condition.expression}
      onChange={(expression) => onChange((drawn) => withNode(drawn, { ...condition, expression }))}
      isCode
      rows={3}
      hint='For example: {input.ref} == "main" && {steps.build.exit_code} == 0. Missing values are null.'
      problem={issueOf(issues, 'expression')}
    />
  );
}

interface NameFieldProps {
  readonly id: string;
  readonly problem: string | undefined;
  readonly onRename: (id: string) => void;
}

const NODE_ID = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The name of a node. It takes effect when typing ends, because references and edges use it. */
function NameField({ id, problem, onRename }: NameFieldProps) {
  const [text, setText] = useState(id);
  const [known, setKnown] = useState(id);
  if (known !== id) {
    // The endpoint of the step gave it another name.
    setKnown(id);
    setText(id);
  }
  const isName = NODE_ID.test(text);
  const commit = () => {
    if (isName && text !== id) onRename(text);
    else setText(id);
  };
  return (
    <TextField
      label="Name"
      value={text}
      onChange={setText}
      isCode
      hint={`Reference its output as {steps.${isName ? text : id}.output}.`}
      problem={isName ? problem : 'Use letters, digits, "_" or "-", starting with a letter or "_".'}
      input={{
        onBlur: commit,
        onKeyDown: ({ key }) => {
          if (key === 'Enter') commit();
        },
      }}
    />
  );
}
