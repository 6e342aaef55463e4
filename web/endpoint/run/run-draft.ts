import type { WireEndpoint } from '../wire-endpoint.ts';
import { earlierValues, type RunValues } from './run-values.ts';

/** What this tab keeps of a run form: the values by argument, without those of secrets. */
export type RunDraft = Readonly<Record<string, string>>;

export function runDraft({ args }: Pick<WireEndpoint, 'args'>, values: RunValues): RunDraft {
  const secret = new Set(args.filter((argument) => argument.secret).map(({ name }) => name));
  return Object.fromEntries([...values].filter(([name]) => !secret.has(name)));
}

/** The values of a draft for the arguments that the endpoint still has. */
export function valuesOfDraft({ args }: Pick<WireEndpoint, 'args'>, draft: RunDraft | undefined): RunValues {
  return draft === undefined ? new Map() : earlierValues(args, draft);
}
