import type { Started } from '../live/running-executions.ts';
import type { RunOrder } from '../ports.ts';

/** What an agent is told of an execution: for an endpoint of its own file it gets no command (decision 32). */
export function runOrder(
  { id, slug, definitionHash, sealedArgs }: Started,
  args: Readonly<Record<string, string>>,
): RunOrder {
  return {
    executionId: id,
    slug,
    definitionHash,
    definition: undefined,
    args,
    secrets: {},
    isToBeConfirmed: sealedArgs !== undefined,
  };
}
