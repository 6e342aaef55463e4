import type { Pipeline, StepNode } from '@svc/core/pipeline/definition/pipeline';
import { useMemo } from 'react';
import { PickField } from '../../design/form/PickField.tsx';
import type { WireArgument } from '../../endpoint/wire-endpoint.ts';
import { issueOf, type PipelineIssue } from '../graph/issues.ts';
import { completedValues, offeredReferences } from '../graph/offered-references.ts';
import { useEndpoint } from './use-endpoint.ts';

interface StepArgumentsProps {
  readonly pipeline: Pipeline;
  readonly step: StepNode;
  readonly issues: readonly PipelineIssue[];
  readonly onChange: (args: StepNode['args']) => void;
}

/**
 * A field for each argument of the endpoint and each undeclared one of the step; an empty field leaves the argument out. It
 * offers the choices of the argument and the references that the step may use.
 */
export function StepArguments({ pipeline, step, issues, onChange }: StepArgumentsProps) {
  const declared = useEndpoint(step.endpoint).exact?.args ?? [];
  const references = useMemo(() => offeredReferences(pipeline, step.id), [pipeline, step.id]);
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
        const value = step.args[name] ?? '';
        return (
          <PickField
            key={name}
            label={argument?.required ? `${name} (required)` : name}
            value={value}
            onChange={(next) => set(name, next)}
            names={completedValues(value, { fixed: fixedValues(argument), references })}
            hint={hintOf(argument)}
            problem={issueOf(issues, `args.${name}`)}
            placeholder={argument?.default ?? ''}
          />
        );
      })}
      {references.length > 0 && (
        <p className="text-sm text-soft">Type {'{'} to use the input or a result of an earlier step.</p>
      )}
    </fieldset>
  );
}

/** The values to pick from, of an argument with choices or with two values. */
function fixedValues(argument: WireArgument | undefined): readonly string[] {
  if (argument?.type === 'boolean') return ['true', 'false'];
  return argument?.choices ?? [];
}

const FILE_HINT = 'a file of an earlier step: {steps.STEP.artifacts.FILE}';

/** The type, where the list of values does not show it, and the description. */
function hintOf(argument: WireArgument | undefined): string | undefined {
  if (argument === undefined) return undefined;
  if (argument.type === 'file') return [FILE_HINT, argument.description].filter((part) => part).join(' · ');
  const type = fixedValues(argument).length > 0 || !argument.type ? undefined : argument.type;
  return [type, argument.description].filter((part) => part).join(' · ') || undefined;
}
