import type { ConditionNode, Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { TextField } from '../../design/form/TextField.tsx';
import { withNode } from '../graph/changes.ts';
import { issueOf, type ValidationIssue } from '../graph/findings.ts';

interface ConditionPanelProps {
  readonly condition: ConditionNode;
  readonly findings: readonly ValidationIssue[];
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
}

export function ConditionPanel({ condition, findings, onChange }: ConditionPanelProps) {
  return (
    <TextField
      label="Expression"
      value={condition.expression}
      onChange={(expression) => onChange((drawn) => withNode(drawn, { ...condition, expression }))}
      isCode
      rows={3}
      hint='For example: {input.ref} == "main" && {steps.build.exit_code} == 0. Missing values are null.'
      problem={issueOf(findings, 'expression')}
    />
  );
}
