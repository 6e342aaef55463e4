import type { Argument } from '@svc/core/endpoint/definition';

/**
 * The arguments of an execution as its record has them, JSON.
 *
 * A secret value is `null`: it goes to the agent in the moment in which the record is made and is not kept for later
 * (decision 9), so an execution with one cannot be dispatched a second time.
 */
export function recordedArgs(args: readonly Argument[], values: ReadonlyMap<string, string>): string {
  const secret = new Set(args.filter((argument) => argument.secret).map(({ name }) => name));
  return JSON.stringify(
    Object.fromEntries([...values].map(([name, value]) => [name, secret.has(name) ? null : value])),
  );
}

/** The values to dispatch again; undefined when one of them was not kept. */
export function readRecordedArgs(json: string): Record<string, string> | undefined {
  const values = Object.entries(JSON.parse(json) as Record<string, string | null>);
  const kept = values.filter((entry): entry is [string, string] => entry[1] !== null);
  return kept.length === values.length ? Object.fromEntries(kept) : undefined;
}
