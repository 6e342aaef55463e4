import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import { Refusal } from '@svc/core/refusal';
import { type HostedUse, hostedSecrets } from '../hosted/hosted-secrets.ts';
import { hostedTerms } from '../hosted/hosted-terms.ts';
import type { AgentProcess } from '../ports/agent-directory.ts';
import type { RegisteredEndpoint } from '../ports/endpoints.ts';
import type { Execution } from '../ports/executions.ts';
import type { Ports } from '../ports.ts';
import { commandSecrets } from '../secret/order-secrets.ts';
import { restoreArgs } from './recorded-args.ts';
import type { OrderValues } from './run-order.ts';

type RestorePorts = Pick<
  Ports,
  'vault' | 'secrets' | 'endpoints' | 'accounts' | 'hosted' | 'credentials' | 'knownAgents'
>;
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
