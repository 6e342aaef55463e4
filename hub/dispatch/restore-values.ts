import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import { Refusal } from '@svc/core/refusal';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Execution } from '../executions/execution-ports.ts';
import { restoreArgs } from '../executions/recorded-args.ts';
import { hostedTerms } from '../hosted/hosted-plan.ts';
import { type HostedUse, hostedSecrets } from '../hosted/hosted-secrets.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import type { Vault } from '../platform/world.ts';
import { commandSecrets } from '../secret-grants/order-secrets.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import type { OrderValues } from './execution-order.ts';

export type RestoreDeps = {
  readonly vault: Vault;
  readonly secrets: Secrets;
  readonly endpoints: Endpoints;
  readonly accounts: Accounts;
  readonly hosted: HostedRecords;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
};
/** A registrant without a token may have no secret. It stands for a version that is no longer stored. */
const NO_REGISTRANT = { tokenId: '', instance: '' };
type Restored = Pick<
  Execution,
  'id' | 'workspaceId' | 'endpointId' | 'endpointVersion' | 'args' | 'sealedArgs' | 'agentName' | 'step'
>;

/** The values of an order that are not in the record, or why they cannot be restored. */
export type RestoredValues =
  | { readonly kind: 'values'; readonly values: OrderValues }
  /** A secret argument was erased, or sealed with a master key that is gone. */
  | { readonly kind: 'gone' }
  /** A managed secret is deleted, or this agent may not have it. */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Restores the values to dispatch an execution: managed secrets are in no record, so they are read again (decision 13, managed
 * secrets).
 */
export async function restoreValues(
  deps: RestoreDeps,
  execution: Restored,
  process: AgentProcess,
  current?: RegisteredEndpoint,
): Promise<RestoredValues> {
  const restored = restoreArgs(deps.vault, execution);
  if (restored === undefined) return { kind: 'gone' };
  try {
    const user = current ?? (await deps.endpoints.byId(execution.endpointId));
    const { workspaceId } = execution;
    const { program, version } = await calledVersion(deps, execution, user);
    if (process.name === HOSTED_AGENT)
      return await restoreHosted(deps, execution, restored, { workspaceId, program, version, user });
    const { values, refusalFor } = await commandSecrets(deps, { workspaceId, program, user });
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
  deps: RestoreDeps,
  execution: Restored,
  restored: Pick<OrderValues, 'args' | 'env' | 'approval'>,
  use: HostedUse,
): Promise<RestoredValues> {
  const hosted = await hostedTerms(deps, execution);
  const secrets = await hostedSecrets(deps, use);
  return { kind: 'values', values: { ...restored, secrets, hosted } };
}

/** The program of the version that was called: the endpoint may have changed since, or be deleted. */
async function calledVersion(
  deps: RestoreDeps,
  { endpointId, endpointVersion }: Restored,
  current: RegisteredEndpoint | undefined,
): Promise<Pick<HostedUse, 'program' | 'version'>> {
  // Reading a definition is the slowest part, and this one was read already.
  if (current?.version === endpointVersion && current !== undefined)
    return { program: current.endpoint.program, version: current };
  const called =
    endpointVersion === undefined ? undefined : await deps.endpoints.version(endpointId, endpointVersion);
  const read = called && readDefinition(JSON.parse(called.definition) as WireDefinition);
  if (called === undefined || read?.kind !== 'endpoint')
    return { program: { secrets: [] }, version: { source: 'config', registrant: NO_REGISTRANT } };
  return { program: read.endpoint.program, version: called };
}

type Called = Pick<Execution, 'endpointId' | 'endpointVersion' | 'definitionHash' | 'step'>;

/**
 * The endpoint of a waiting execution, with the agent name of the version that was called: a call that was approved for one agent
 * never runs on another, whatever the endpoint says now (decision 35, an approval is frozen). A step may name its own agent.
 * Undefined: the endpoint was deleted.
 */
export async function recordedEndpoint(
  deps: { readonly endpoints: Endpoints },
  called: Called,
): Promise<RegisteredEndpoint | undefined> {
  const target = await ofItsVersion(deps, called);
  const agentName = called.step?.agentName;
  if (target === undefined || agentName === undefined) return target;
  return { ...target, endpoint: { ...target.endpoint, agentName } };
}

async function ofItsVersion(
  { endpoints }: { readonly endpoints: Endpoints },
  { endpointId, endpointVersion, definitionHash }: Called,
): Promise<RegisteredEndpoint | undefined> {
  const now = await endpoints.byId(endpointId);
  if (now === undefined || endpointVersion === undefined || now.definitionHash === definitionHash) return now;
  const version = await endpoints.version(endpointId, endpointVersion);
  const called = version && readDefinition(JSON.parse(version.definition) as WireDefinition);
  if (called?.kind !== 'endpoint') return undefined;
  const { agentName, ...others } = { ...now.endpoint, agentName: called.endpoint.agentName };
  return { ...now, endpoint: agentName === undefined ? others : { ...others, agentName } };
}
