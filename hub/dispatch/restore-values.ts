import type { CallInput } from '@svc/core/api/call-body';
import type { Argument } from '@svc/core/endpoint/definition';
import { fileArguments } from '@svc/core/endpoint/file-arguments';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import { Refusal } from '@svc/core/refusal';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import {
  type ArtifactInputDeps,
  findInputFile,
  formOfArtifacts,
  readArtifactPath,
} from '../artifacts/artifact-input.ts';
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
} & ArtifactInputDeps;
/** A registrant without a token may have no secret. It stands for a version that is no longer stored. */
const NO_REGISTRANT = { tokenId: '', instance: '' };
type Restored = Pick<
  Execution,
  'id' | 'workspaceId' | 'endpointId' | 'endpointVersion' | 'args' | 'sealedArgs' | 'agentName' | 'step'
> &
  Partial<Pick<Execution, 'files'>>;

/** The values of an order that are not in the record, or why they cannot be restored. */
export type RestoredValues =
  | {
      readonly kind: 'values';
      readonly values: OrderValues;
      /** The files that a step gets from earlier steps. */
      readonly input?: CallInput | undefined;
    }
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
    const { program, version, args } = await calledVersion(deps, execution, user);
    if (process.name === HOSTED_AGENT)
      return await restoreHosted(deps, execution, restored, { workspaceId, program, version, user });
    const { values, refusalFor } = await commandSecrets(deps, { workspaceId, program, user });
    const refusal = refusalFor(process);
    if (refusal !== undefined) return { kind: 'refused', refusal };
    const { texts, input } = await splitFiles(deps, execution, args, restored.args);
    return { kind: 'values', values: { ...restored, args: texts, secrets: values }, input };
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'unavailable') return { kind: 'refused', refusal: error };
    throw error;
  }
}

/**
 * The files that a step gets from earlier steps, for a hub that did not start it or has none of them any more; undefined for an
 * execution without such files.
 *
 * @throws a refusal if a file is gone
 */
export async function restoreInput(
  deps: ArtifactInputDeps & { readonly endpoints: Endpoints },
  execution: Omit<Restored, 'agentName'>,
): Promise<CallInput | undefined> {
  if (execution.step === undefined) return undefined;
  const { args } = await calledVersion(deps, execution, undefined);
  const recorded = JSON.parse(execution.args) as Readonly<Record<string, string | null>>;
  return (await splitFiles(deps, execution, args, recorded)).input;
}

/**
 * Separates the files of a step from its texts. Only `prepareStep` records a value for an argument of `type: file`; the version of the
 * endpoint that was called says which arguments these are (decision 82, artifacts as inputs of steps).
 */
async function splitFiles<Value extends string | null>(
  deps: ArtifactInputDeps,
  { id, workspaceId, step }: Pick<Restored, 'id' | 'workspaceId' | 'step'>,
  args: readonly Argument[],
  recorded: Readonly<Record<string, Value>>,
): Promise<{ texts: Record<string, Value>; input: CallInput | undefined }> {
  const texts = { ...recorded };
  if (step === undefined) return { texts, input: undefined };
  const wanted = fileArguments(args).flatMap((argument) => {
    const file = readArtifactPath(recorded[argument.name] ?? '');
    if (file === undefined) return [];
    delete texts[argument.name];
    return [{ argument, ...file }];
  });
  if (wanted.length === 0) return { texts, input: undefined };
  const found = await Promise.all(wanted.map((one) => findInputFile(deps, workspaceId, one)));
  return { texts, input: formOfArtifacts(deps.files, id, found) };
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

/** The program and the arguments of the version that was called: the endpoint may have changed since, or be deleted. */
async function calledVersion(
  deps: { readonly endpoints: Endpoints },
  { endpointId, endpointVersion }: Pick<Restored, 'endpointId' | 'endpointVersion'>,
  current: RegisteredEndpoint | undefined,
): Promise<Pick<HostedUse, 'program' | 'version'> & { readonly args: readonly Argument[] }> {
  // Reading a definition is the slowest part, and this one was read already.
  if (current?.version === endpointVersion && current !== undefined)
    return { program: current.endpoint.program, args: current.endpoint.args, version: current };
  const called =
    endpointVersion === undefined ? undefined : await deps.endpoints.version(endpointId, endpointVersion);
  const read = called && readDefinition(JSON.parse(called.definition) as WireDefinition);
  if (called === undefined || read?.kind !== 'endpoint')
    return { program: { secrets: [] }, args: [], version: { source: 'config', registrant: NO_REGISTRANT } };
  return { program: read.endpoint.program, args: read.endpoint.args, version: called };
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
