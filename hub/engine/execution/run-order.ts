import type { Started } from '../live/running-executions.ts';
import type { RunOrder } from '../ports/agent-directory.ts';
import type { RegisteredEndpoint } from '../ports/endpoints.ts';
import type { Ports } from '../ports.ts';

/** What only the agent gets to see: the values of a call, secret ones with them, and the managed secrets of its command. */
export type OrderValues = Pick<RunOrder, 'args' | 'secrets'>;

/**
 * What an agent is told of an execution: for an endpoint of its own file it gets no command (decision 32).
 *
 * @param definition of an endpoint that was made through the API
 */
export function runOrder(
  { id, slug, definitionHash, timeoutSec, sealedArgs }: Started,
  { args, secrets }: OrderValues,
  definition: string | undefined,
): RunOrder {
  return {
    executionId: id,
    slug,
    definitionHash,
    definition,
    timeoutSec,
    args,
    secrets,
    isToBeConfirmed: sealedArgs !== undefined,
  };
}

/** What an agent is sent to run of an endpoint; undefined: it has that itself. */
export function sentDefinition({
  source,
  definition,
}: Pick<RegisteredEndpoint, 'source' | 'definition'>): string | undefined {
  return source === 'api' ? definition : undefined;
}

/** The same for an execution that was accepted earlier, of the version that was called: the endpoint may be gone by now. */
export async function recordedDefinition(
  { endpoints }: Pick<Ports, 'endpoints'>,
  { endpointId, endpointVersion }: Started,
): Promise<string | undefined> {
  const version =
    endpointVersion === undefined ? undefined : await endpoints.version(endpointId, endpointVersion);
  return version && sentDefinition(version);
}
