import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import { CommandLine } from '../../endpoint/run/CommandLine.tsx';
import type { WireArgument } from '../../endpoint/wire-endpoint.ts';
import type { ShownExecution } from '../wire-execution.ts';

/** The command of an execution with the values of its call. */
export function CalledCommand({ execution }: { readonly execution: ShownExecution }) {
  const { execution_id: id, args: values } = execution;
  const { data } = useQuery(read('showExecutedDefinition', { parameters: { id } }));
  if (data === undefined) return <div className="h-6" />;
  const { command, args } = data.definition;
  if (typeof command !== 'string') return null;
  return <CommandLine endpoint={{ command, args: argumentsOf(args, values) }} values={given(values)} />;
}

function argumentsOf(args: unknown, values: ShownExecution['args']): WireArgument[] {
  if (!Array.isArray(args)) return [];
  return (
    args as readonly {
      readonly name: string;
      readonly default?: string | number | boolean;
      readonly secret?: boolean;
    }[]
  ).map(({ name, default: fallback, secret = false }) => ({
    name,
    type: 'text',
    inferred: true,
    required: false,
    // The hub keeps every value but those of secrets.
    secret: secret || values[name] === null,
    allow_dash: false,
    ...(fallback === undefined ? {} : { default: String(fallback) }),
  }));
}

/** The values as text; those of secrets are never shown. */
function given(values: ShownExecution['args']): ReadonlyMap<string, string> {
  return new Map(Object.entries(values).map(([name, value]) => [name, value ?? '']));
}
