import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import { Refusal } from '@svc/core/refusal';
import type { Accounts, Credentials } from '../accounts/account-ports.ts';
import type { KnownAgents } from '../agents/agent-ports.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { Endpoints, RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Execution } from '../executions/execution-ports.ts';
import { restoreArgs } from '../executions/recorded-args.ts';
import type { HostedRecords } from '../hosted/hosted-ports.ts';
import { type HostedUse, hostedSecrets } from '../hosted/hosted-secrets.ts';
import { hostedTerms } from '../hosted/hosted-terms.ts';
import type { Vault } from '../platform/world.ts';
import { commandSecrets } from '../secret-grants/order-secrets.ts';
import type { Secrets } from '../secrets/secret-ports.ts';
import type { OrderValues } from './execution-order.ts';

export type RestorePorts = {
  readonly vault: Vault;
  readonly secrets: Secrets;
  readonly endpoints: Endpoints;
  readonly accounts: Accounts;
  readonly hosted: HostedRecords;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
};
/** Has no token, so it may have no secret: the version that was called is not on record. */
const NOBODY = { tokenId: '', instance: '' };
type Restored = Pick<
  Execution,
  'id' | 'workspaceId' | 'endpointId' | 'endpointVersion' | 'args' | 'sealedArgs' | 'agentName' | 'step'
>;

/** Everything that an order needs besides its record, or why it cannot be given any more. */
export type RestoredValues =
  | { readonly kind: 'values'; readonly values: OrderValues }
  /** A secret argument was erased, or sealed with a key that is gone. */
  | { readonly kind: 'gone' }
  /** A managed secret is not there any more, or not for this agent. */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * The values to dispatch an execution again, as they are now: managed secrets are in no record, so the hub opens them anew
 * (decision 13).
 */
export async function restoreValues(
  ports: RestorePorts,
  execution: Restored,
  process: AgentProcess,
  current?: RegisteredEndpoint,
): Promise<RestoredValues> {
  const restored = restoreArgs(ports.vault, execution);
  if (restored === undefined) return { kind: 'gone' };
  try {
    const user = current ?? (await ports.endpoints.byId(execution.endpointId));
    const { workspaceId } = execution;
    const { program, version } = await calledVersion(ports, execution, user);
    if (process.name === HOSTED_AGENT)
      return await restoreHosted(ports, execution, restored, { workspaceId, program, version, user });
    const { values, refusalFor } = await commandSecrets(ports, { workspaceId, program, user });
    const refusal = refusalFor(process);
    return refusal === undefined
      ? { kind: 'values', values: { ...restored, secrets: values } }
      : { kind: 'refused', refusal };
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'unavailable') return { kind: 'refused', refusal: error };
    throw error;
  }
}

async function restoreHosted(
  ports: RestorePorts,
  execution: Restored,
  restored: Pick<OrderValues, 'args' | 'env' | 'approval'>,
  use: HostedUse,
): Promise<RestoredValues> {
  const hosted = await hostedTerms(ports, execution);
  const secrets = await hostedSecrets(ports, use);
  return { kind: 'values', values: { ...restored, secrets, hosted } };
}

/** That of the version that was called: the endpoint may have been changed since, or be gone. */
async function calledVersion(
  ports: RestorePorts,
  { endpointId, endpointVersion }: Restored,
  current: RegisteredEndpoint | undefined,
): Promise<Pick<HostedUse, 'program' | 'version'>> {
  // To read a definition takes longer than all the rest, and this one was read already.
  if (current?.version === endpointVersion && current !== undefined)
    return { program: current.endpoint.program, version: current };
  const called =
    endpointVersion === undefined ? undefined : await ports.endpoints.version(endpointId, endpointVersion);
  const read = called && readDefinition(JSON.parse(called.definition) as WireDefinition);
  if (called === undefined || read?.kind !== 'endpoint')
    return { program: { secrets: [] }, version: { source: 'config', registrant: NOBODY } };
  return { program: read.endpoint.program, version: called };
}
