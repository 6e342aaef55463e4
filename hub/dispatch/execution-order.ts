import type { CallInput } from '@svc/core/api/call-body';
import type { SignedApproval } from '@svc/core/approval/signed-approval';
import { approvedFiles } from '@svc/core/execution/received-file';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import type { HostedTerms } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { KeptInput } from '../executions/execution-ports.ts';
import type { Started } from '../executions/live/running-executions.ts';

type Texts = Readonly<Record<string, string>>;

/** The part of an order that no record has in plain text. */
export interface OrderValues {
  readonly args: Texts;
  /** The managed secrets of the command (decision 13, managed secrets). */
  readonly secrets: Texts;
  /** The variables of a pipeline step. */
  readonly env?: Texts;
  /** For an endpoint with `approver_keys`: the signed approval (decision 60, the file is a floor). */
  readonly approval?: SignedApproval | undefined;
  /** For the hosted runner: the resources of the container. */
  readonly hosted?: HostedTerms | undefined;
  /** This hub has the body for its command, or a form with files. */
  readonly input?: Pick<CallInput, 'form'> | undefined;
  /** The body waits in the spool. */
  readonly kept?: KeptInput | undefined;
}

/**
 * The order for an agent. It has no command for an endpoint of the agent's own file (decision 32, commands of a file stay on the
 * agent).
 *
 * @param definition of an endpoint that was made through the API
 */
export function executionOrder(
  { id, slug, definitionHash, timeoutSec, step, files }: Started,
  { args, env = {}, secrets, hosted, approval, input, kept }: OrderValues,
  definition: string | undefined,
): ExecutionOrder {
  return {
    type: 'run',
    execution_id: id,
    endpoint: slug,
    hash: definitionHash,
    ...(definition === undefined ? {} : { definition: JSON.parse(definition) as Record<string, unknown> }),
    args: { ...args },
    secrets: { ...secrets },
    ...(step === undefined ? {} : { step: step.id, env: { ...env } }),
    timeout: timeoutSec,
    ...(approval === undefined ? {} : { approval }),
    ...(hosted === undefined ? {} : { hosted: hostedField(hosted) }),
    ...(kept !== undefined && { files: approvedFiles(files ?? []) }),
    ...(input !== undefined && (input.form === undefined ? { stdin: true } : { form: input.form })),
  };
}

/** The hub keeps sealed arguments until the agent confirms that it has the order (decision 9, values). */
export function isToBeConfirmed({ sealedArgs }: Started): boolean {
  return sealedArgs !== undefined;
}

function hostedField({ vcpus, memoryBytes, network, runId }: HostedTerms) {
  const terms = { vcpus, memory_bytes: memoryBytes, network };
  return runId === undefined ? terms : { ...terms, run_id: runId };
}

/** The definition that an order has; undefined: the agent has it in its own file. A host of the hosted runner has no file. */
export function sentDefinition(
  { source, definition }: Pick<RegisteredEndpoint, 'source' | 'definition'>,
  agentName: string | undefined,
): string | undefined {
  return source === 'api' || agentName === HOSTED_AGENT ? definition : undefined;
}

/** The definition for a stored execution, by the version that was called: the endpoint may be deleted by now. */
export async function recordedDefinition(
  { endpoints }: { readonly endpoints: Endpoints },
  { endpointId, endpointVersion, agentName }: Started,
): Promise<string | undefined> {
  const version =
    endpointVersion === undefined ? undefined : await endpoints.version(endpointId, endpointVersion);
  return version && sentDefinition(version, agentName);
}
