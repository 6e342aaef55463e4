import type { Pipeline, StepNode } from '@svc/core/pipeline/definition/pipeline';
import { useAgentNames } from '../../agent/use-agent-names.ts';
import { Disclosure } from '../../design/Disclosure.tsx';
import { PickField } from '../../design/form/PickField.tsx';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { type StepChange, withEndpoint, withSettings } from '../graph/changes.ts';
import { issueOf, type PipelineIssue } from '../graph/issues.ts';
import { PairsField } from './PairsField.tsx';
import { StepArguments } from './StepArguments.tsx';
import { useEndpoint } from './use-endpoint.ts';

interface StepPanelProps {
  readonly pipeline: Pipeline;
  readonly step: StepNode;
  readonly issues: readonly PipelineIssue[];
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
  /** The step has another name now. */
  readonly onRenamed: (id: string) => void;
}

/** The settings of a step: endpoint, arguments, environment, failure, agent and timeout. */
export function StepPanel({ pipeline, step, issues, onChange, onRenamed }: StepPanelProps) {
  const set = (changed: StepChange) => onChange((drawn) => withSettings(drawn, step, changed));
  const setEndpoint = (endpoint: string) => {
    const [changed, id] = withEndpoint(pipeline, step, endpoint);
    onChange(() => changed);
    if (id !== step.id) onRenamed(id);
  };
  return (
    <>
      <EndpointField value={step.endpoint} onChange={setEndpoint} problem={issueOf(issues, 'endpoint')} />
      <StepArguments pipeline={pipeline} step={step} issues={issues} onChange={(args) => set({ args })} />
      <Disclosure summary="Environment" isOpenAtFirst={Object.keys(step.env).length > 0}>
        <PairsField
          label="Variables"
          pairs={step.env}
          onChange={(env) => set({ env })}
          problemOf={(name) => issueOf(issues, `env.${name}`)}
        />
      </Disclosure>
      <StepFailure step={step} onChange={set} />
      <StepPlace step={step} issues={issues} onChange={set} />
    </>
  );
}

interface StepPlaceProps {
  readonly step: StepNode;
  readonly issues: readonly PipelineIssue[];
  readonly onChange: (changed: StepChange) => void;
}

/** Agent and timeout of a step, where they differ from those of the endpoint. */
function StepPlace({ step, issues, onChange }: StepPlaceProps) {
  const agents = useAgentNames();
  return (
    <div className="grid grid-cols-2 gap-3">
      <PickField
        label="Agent"
        value={step.agentName ?? ''}
        onChange={(agentName) => onChange({ agentName: agentName || undefined })}
        names={agents}
        problem={issueOf(issues, 'agent_name')}
        placeholder="from endpoint"
      />
      <TextField
        label="Timeout (s)"
        value={step.timeoutSec === undefined ? '' : String(step.timeoutSec)}
        onChange={(text) => onChange({ timeoutSec: text === '' ? undefined : Number(text) })}
        problem={issueOf(issues, 'timeout')}
        input={{ type: 'number', min: 1, placeholder: 'from endpoint' }}
      />
    </div>
  );
}

const WAYS = [
  { value: 'stop', label: 'Stop run' },
  { value: 'continue', label: 'Continue run' },
] as const;
const FIRST_BACKOFF_SEC = 10;

interface StepFailureProps {
  readonly step: StepNode;
  readonly onChange: (changed: StepChange) => void;
}

function StepFailure({ step: { onFailure, retry }, onChange }: StepFailureProps) {
  const backoffSec = retry?.backoffSec ?? FIRST_BACKOFF_SEC;
  return (
    <div className="grid grid-cols-2 gap-3">
      <div className="col-span-2">
        <Select
          label="On failure"
          options={WAYS}
          value={onFailure}
          onChange={(way) => onChange({ onFailure: way })}
        />
      </div>
      <TextField
        label="Retries"
        value={retry === undefined ? '' : String(retry.limit)}
        onChange={(text) =>
          onChange({
            retry: text === '' ? undefined : { limit: Number(text), backoffSec },
          })
        }
        input={{ type: 'number', min: 1, max: 10, placeholder: '0' }}
      />
      {retry !== undefined && (
        <TextField
          label="First retry after (s)"
          value={String(backoffSec)}
          onChange={(text) => onChange({ retry: { ...retry, backoffSec: Number(text) } })}
          input={{ type: 'number', min: 0, max: 3_600 }}
        />
      )}
    </div>
  );
}

interface EndpointFieldProps {
  readonly value: string;
  readonly onChange: (slug: string) => void;
  readonly problem: string | undefined;
}

/** The endpoint of a step, picked from the endpoints of the workspace. */
function EndpointField({ value, onChange, problem }: EndpointFieldProps) {
  const { found } = useEndpoint(value);
  return (
    <PickField
      label="Endpoint"
      value={value}
      onChange={onChange}
      names={found.map(({ slug }) => slug)}
      problem={problem}
      placeholder="Choose an endpoint"
    />
  );
}
