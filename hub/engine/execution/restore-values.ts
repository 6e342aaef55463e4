import { readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import { Refusal } from '@svc/core/refusal';
import type { RegisteredEndpoint } from '../ports/endpoints.ts';
import type { Execution } from '../ports/executions.ts';
import type { Ports } from '../ports.ts';
import { commandSecrets } from '../secret/order-secrets.ts';
import { restoreArgs } from './recorded-args.ts';
import type { OrderValues } from './run-order.ts';

type RestorePorts = Pick<Ports, 'vault' | 'secrets' | 'endpoints'>;
type Restored = Pick<
  Execution,
  'id' | 'workspaceId' | 'endpointId' | 'endpointVersion' | 'args' | 'sealedArgs' | 'agentName'
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
  agentName = execution.agentName ?? '',
  current?: RegisteredEndpoint,
): Promise<RestoredValues> {
  const args = restoreArgs(ports.vault, execution);
  if (args === undefined) return { kind: 'gone' };
  try {
    const { values, refusalFor } = await secretsOf(ports, execution, current);
    const refusal = refusalFor(agentName);
    return refusal === undefined
      ? { kind: 'values', values: { args, secrets: values } }
      : { kind: 'refused', refusal };
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'unavailable') return { kind: 'refused', refusal: error };
    throw error;
  }
}

/** Those of the version that was called: the endpoint may have been changed since, or be gone. */
async function secretsOf(
  ports: RestorePorts,
  { endpointId, workspaceId, endpointVersion }: Restored,
  current: RegisteredEndpoint | undefined,
) {
  // To read a definition takes longer than all the rest, and this one was read already.
  if (current?.version === endpointVersion && current !== undefined)
    return await commandSecrets(ports, workspaceId, current.endpoint.program);
  const called =
    endpointVersion === undefined ? undefined : await ports.endpoints.version(endpointId, endpointVersion);
  const read = called && readDefinition(JSON.parse(called.definition) as WireDefinition);
  const program = read?.kind === 'endpoint' ? read.endpoint.program : { secrets: [] };
  return await commandSecrets(ports, workspaceId, program);
}
