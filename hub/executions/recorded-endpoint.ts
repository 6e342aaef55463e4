import { readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Execution } from './execution-ports.ts';

type Called = Pick<Execution, 'endpointId' | 'endpointVersion' | 'definitionHash' | 'step'>;

/**
 * The endpoint of a waiting execution, with the agent name of the version that was called: a call that was approved for one agent
 * never runs on another, whatever the endpoint says now (decision 35, frozen request). A step may name its own agent. Undefined:
 * the endpoint was deleted.
 */
export async function recordedEndpoint(
  ports: { readonly endpoints: Endpoints },
  called: Called,
): Promise<RegisteredEndpoint | undefined> {
  const target = await ofItsVersion(ports, called);
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
