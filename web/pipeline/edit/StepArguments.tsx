import type { StepNode } from '@svc/core/pipeline/definition/pipeline';
import { TextField } from '../../design/form/TextField.tsx';
import { issueOf, type PipelineIssue } from '../graph/issues.ts';
import { useEndpoint } from './use-endpoint.ts';

interface StepArgumentsProps {
  readonly step: StepNode;
  readonly issues: readonly PipelineIssue[];
  readonly onChange: (args: StepNode['args']) => void;
}

/** A field for each argument of the endpoint and each undeclared one of the step; an empty field leaves the argument out. */
export function StepArguments({ step, issues, onChange }: StepArgumentsProps) {
  const declared = useEndpoint(step.endpoint).exact?.args ?? [];
  const names = [...new Set([...declared.map(({ name }) => name), ...Object.keys(step.args)])];
  if (names.length === 0) return null;
  const set = (name: string, value: string) => {
    const { [name]: _, ...rest } = step.args;
    onChange(value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-sm font-semibold">Arguments</legend>
      {names.map((name) => {
        const argument = declared.find((one) => one.name === name);
        return (
          <TextField
            key={name}
            label={argument?.required ? `${name} (required)` : name}
            value={step.args[name] ?? ''}
            onChange={(value) => set(name, value)}
            isCode
            hint={argument?.description ?? undefined}
            problem={issueOf(issues, `args.${name}`)}
            input={{ placeholder: argument?.default ?? '' }}
          />
        );
      })}
    </fieldset>
  );
}
