import type { StepNode } from '@svc/core/pipeline/definition/pipeline';
import { TextField } from '../../design/form/TextField.tsx';
import type { StepChange } from '../graph/changes.ts';
import { issueOf, type ValidationIssue } from '../graph/findings.ts';

interface StepPlaceProps {
  readonly step: StepNode;
  readonly findings: readonly ValidationIssue[];
  readonly onChange: (changed: StepChange) => void;
}

/** Agent and timeout of a step, where they differ from those of the endpoint. */
export function StepPlace({ step, findings, onChange }: StepPlaceProps) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField
        label="Agent"
        value={step.agentName ?? ''}
        onChange={(agentName) => onChange({ agentName: agentName || undefined })}
        isCode
        problem={issueOf(findings, 'agent_name')}
        input={{ placeholder: 'from endpoint' }}
      />
      <TextField
        label="Timeout (s)"
        value={step.timeoutSec === undefined ? '' : String(step.timeoutSec)}
        onChange={(text) => onChange({ timeoutSec: text === '' ? undefined : Number(text) })}
        problem={issueOf(findings, 'timeout')}
        input={{ type: 'number', min: 1, placeholder: 'from endpoint' }}
      />
    </div>
  );
}
