import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { RunOrder } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Started } from '../executions/live/running-executions.ts';

/**
 * What only the agent gets to see: the values of a call, secret ones with them, the variables of a step, and the managed secrets
 * of its command.
 */
export type OrderValues = Pick<RunOrder, 'args' | 'secrets' | 'hosted' | 'approval'> & {
  readonly env?: Readonly<Record<string, string>>;
};

/**
 * What an agent is told of an execution: for an endpoint of its own file it gets no command (decision 32).
 *
 * @param definition of an endpoint that was made through the API
 */
export function runOrder(
  { id, slug, definitionHash, timeoutSec, sealedArgs, step }: Started,
  { args, env = {}, secrets, hosted, approval }: OrderValues,
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
    step: step && { id: step.id, env },
    hosted,
    approval,
    isToBeConfirmed: sealedArgs !== undefined,
  };
}

/** What an agent is sent to run of an endpoint; undefined: it has that itself. A host of the hosted runner has no file. */
export function sentDefinition(
  { source, definition }: Pick<RegisteredEndpoint, 'source' | 'definition'>,
  agentName: string | undefined,
): string | undefined {
  return source === 'api' || agentName === HOSTED_AGENT ? definition : undefined;
}

/** The same for an execution that was accepted earlier, of the version that was called: the endpoint may be gone by now. */
export async function recordedDefinition(
  { endpoints }: { readonly endpoints: Endpoints },
  { endpointId, endpointVersion, agentName }: Started,
): Promise<string | undefined> {
  const version =
    endpointVersion === undefined ? undefined : await endpoints.version(endpointId, endpointVersion);
  return version && sentDefinition(version, agentName);
}
