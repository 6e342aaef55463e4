import type { Started } from '../live/running-executions.ts';
import type { RunOrder } from '../ports.ts';

/** What only the agent gets to see: the values of a call, secret ones with them, and the managed secrets of its command. */
export type OrderValues = Pick<RunOrder, 'args' | 'secrets'>;

/** What an agent is told of an execution: for an endpoint of its own file it gets no command (decision 32). */
export function runOrder(
  { id, slug, definitionHash, sealedArgs }: Started,
  { args, secrets }: OrderValues,
): RunOrder {
  return {
    executionId: id,
    slug,
    definitionHash,
    definition: undefined,
    args,
    secrets,
    isToBeConfirmed: sealedArgs !== undefined,
  };
}
