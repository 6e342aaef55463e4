import type { Pipeline, StepNode } from '@svc/core/pipeline/definition/pipeline';
import { Disclosure } from '../../design/Disclosure.tsx';
import { type StepChange, withSettings } from '../graph/changes.ts';
import { issueOf, type ValidationIssue } from '../graph/findings.ts';
import { EndpointField } from './EndpointField.tsx';
import { PairsField } from './PairsField.tsx';
import { StepArguments } from './StepArguments.tsx';
import { StepFailure } from './StepFailure.tsx';
import { StepPlace } from './StepPlace.tsx';

interface StepPanelProps {
  readonly step: StepNode;
  readonly findings: readonly ValidationIssue[];
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
}

/** The settings of a step: endpoint, arguments, environment, failure, agent and timeout. */
export function StepPanel({ step, findings, onChange }: StepPanelProps) {
  const set = (changed: StepChange) => onChange((drawn) => withSettings(drawn, step, changed));
  return (
    <>
      <EndpointField
        value={step.endpoint}
        onChange={(endpoint) => set({ endpoint })}
        problem={issueOf(findings, 'endpoint')}
      />
      <StepArguments step={step} findings={findings} onChange={(args) => set({ args })} />
      <Disclosure summary="Environment" isOpenAtFirst={Object.keys(step.env).length > 0}>
        <PairsField
          label="Variables"
          pairs={step.env}
          onChange={(env) => set({ env })}
          problemOf={(name) => issueOf(findings, `env.${name}`)}
        />
      </Disclosure>
      <StepFailure step={step} onChange={set} />
      <StepPlace step={step} findings={findings} onChange={set} />
    </>
  );
}
