import { hash } from 'node:crypto';
import type { Approval } from '@svc/core/approval/approval';
import { bind } from '@svc/core/endpoint/bind';
import { filePlaceholders } from '@svc/core/endpoint/file-arguments';
import { requestIdentity } from '@svc/core/execution/request-identity';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import { isHosted } from '../agents/host-address.ts';
import type { MovingAgents } from '../agents/moving-agents.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import { type RequestApprovalDeps, requestApproval } from '../approvals/request-approval.ts';
import { type CallHostedDeps, callHosted } from '../dispatch/call-hosted.ts';
import { callRemotely, unlessAmbiguous } from '../dispatch/call-remotely.ts';
import type { CheckedCall } from '../dispatch/checked-call.ts';
import { callHere } from '../dispatch/dispatch.ts';
import type { CalledRemotely } from '../dispatch/forward-call.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type {
  CallRequest,
  Execution,
  ExecutionLedger,
  IdempotencyClaim,
  NewExecution,
} from '../executions/execution-ports.ts';
import type { RunningExecution } from '../executions/live/running-executions.ts';
import { newExecution, WITHOUT_AGENT } from '../executions/new-execution.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import { hostedLimits } from '../hosted/hosted-plan.ts';
import { hostedSecrets } from '../hosted/hosted-secrets.ts';
import type { SealedFor, Vault } from '../platform/world.ts';
import {
  type CommandSecrets,
  commandSecrets,
  secretsForHost,
  useOf,
} from '../secret-grants/order-secrets.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';

/** The outcome of a call. */
export type Called =
  | {
      readonly kind: 'running';
      readonly running: RunningExecution;
      /** The agent runs only its own file, so it refuses this execution. */
      readonly willBeRefused?: boolean;
    }
  /** An asynchronous call waits for a place on the hosted runner. */
  | { readonly kind: 'queued'; readonly execution: NewExecution }
  /** A remote hub has its agent: it runs there, or has ended already. */
  | Extract<CalledRemotely, { kind: 'remote' }>
  | { readonly kind: 'pending'; readonly approval: Approval; readonly isFirst: boolean }
  /** The idempotency key was used before, and the first call has ended. */
  | { readonly kind: 'repeated'; readonly execution: Execution };

export type CallDeps = {
  readonly secrets: Secrets;
  readonly ledger: ExecutionLedger;
  readonly agents: AgentDirectory;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
} & RequestApprovalDeps &
  CallHostedDeps & {
    /** Undefined where this hub is the only one. */
    readonly remoteHubs: RemoteHubs | undefined;
    readonly moving: Pick<MovingAgents, 'comes'>;
  };

/**
 * Checks a call, and dispatches it or holds it for approval: nothing runs before its record is stored (decision 14, nothing runs
 * before its record).
 */
export async function callEndpoint(deps: CallDeps, call: CallRequest): Promise<Called> {
  const { endpoint } = call.target;
  refuseUnstreamed(call);
  refuseFiles(call);
  if (isHosted(call.target)) return await callOnHost(deps, call);
  const opened = commandSecrets(deps, useOf(call.target));
  // Most commands name no secret, and their calls await nothing here.
  const secrets = opened instanceof Promise ? await opened : opened;
  // The agent binds the values again; binding them here finds the caller's mistakes before anything is stored.
  bind(endpoint, call.values, secrets.values, filesOf(call));
  const checked = checkedCall(deps, call, secrets);
  if (endpoint.approvalRequired) return holdCall(deps, checked);
  const { remoteHubs } = deps;
  const chosen = deps.agents.choose(call.target, secrets.mayHave);
  const process =
    chosen === undefined || remoteHubs === undefined
      ? chosen
      : await unlessAmbiguous(remoteHubs, call.target, chosen);
  const refusedHere = process && secrets.refusalFor(process);
  if (process === undefined || (refusedHere !== undefined && remoteHubs !== undefined))
    return await callOnRemoteHub(deps, checked, refusedHere);
  const called = await callHere(deps, checked, process);
  if (called.kind === 'known') throw new Error('another execution has the id of a new one');
  if (called.kind === 'repeated') return await repeated(deps, call, called);
  return { ...called, willBeRefused: process.isLocalOnly && call.target.source === 'api' };
}

function checkedCall(
  { vault, clock }: Pick<CallDeps, 'vault' | 'clock'>,
  call: CallRequest,
  secrets: CommandSecrets,
): CheckedCall {
  return { ...call, secrets, idempotency: idempotencyOf(vault, call, clock.nowMs()) };
}

/**
 * A command that reads a body gets the whole of it or does not run (decision 73, the body as standard input). `svc validate` finds these, but the API and earlier hubs can combine them all the same.
 */
function refuseUnstreamed({ target, input }: CallRequest): void {
  const { slug, stdin } = target.endpoint;
  if (stdin === undefined) return;
  const reads = `"${slug}" reads the body of a call from stdin`;
  if (input === undefined) throw refuse('invalid_argument', `${reads}: only a call over HTTP has one`);
  if (isHosted(target)) throw refuse('not_supported', `${reads}, and the hosted runner passes none on`);
}

/** A file goes to the agent like a body (decision 76, files of a call). */
function refuseFiles({ target, input }: CallRequest): void {
  if (input?.form === undefined) return;
  const { slug } = target.endpoint;
  const takes = `"${slug}" was called with files`;
  if (isHosted(target)) throw refuse('not_supported', `${takes}, and the hosted runner takes none`);
}

/** The agent knows which files have come. */
function filesOf({ target, input }: CallRequest): ReadonlyMap<string, string> {
  return input?.form === undefined ? new Map() : filePlaceholders(target.endpoint.args);
}

/** Calls an endpoint of the hosted runner, with all secrets that hosted executions of its workspace may have. */
async function callOnHost(deps: CallDeps, call: CallRequest): Promise<Called> {
  const { workspaceId, endpoint } = call.target;
  hostedLimits(call.workspace);
  const { program } = endpoint;
  const secrets = await hostedSecrets(deps, {
    workspaceId,
    program,
    version: call.target,
    user: call.target,
  });
  bind(endpoint, call.values, secrets);
  const checked = checkedCall(deps, call, secretsForHost(secrets));
  if (endpoint.approvalRequired) return await holdCall(deps, checked);
  if (!deps.hosts.hasHost()) return await callOnRemoteHub(deps, checked);
  const called = await callHosted(deps, checked);
  return called.kind === 'repeated' ? await repeated(deps, call, called) : called;
}

/** Stores the call as a pending approval, whether an agent is connected or not (reference 3.1). */
async function holdCall(deps: CallDeps, call: CheckedCall): Promise<Called> {
  if (call.input !== undefined && call.idempotency !== undefined) {
    // The body of a repeated call is not read.
    const earlier = await deps.ledger.idempotent(call.idempotency, deps.clock.nowMs());
    if (earlier !== undefined) return await repeated(deps, call, earlier);
  }
  const outcome = await requestApproval(deps, call, call.idempotency);
  return outcome.kind === 'pending' ? { ...outcome, isFirst: true } : repeated(deps, call, outcome);
}

/** @param refusedHere agents are connected to this hub, and none of them may have the secrets */
async function callOnRemoteHub(deps: CallDeps, call: CheckedCall, refusedHere?: Refusal): Promise<Called> {
  const { remoteHubs, moving } = deps;
  if (call.input !== undefined) return await callWithoutAgent(deps, call, refusedHere);
  const called = remoteHubs && (await callRemotely({ ...deps, remoteHubs }, call));
  if (called !== undefined) return called.kind === 'repeated' ? await repeated(deps, call, called) : called;
  if (refusedHere !== undefined) throw refusedHere;
  // The agent may have moved to this hub, or comes back after this hub has started again.
  if (await moving.comes(call.target)) return await callEndpoint(deps, call);
  return await refuseWithoutAgent(deps, call);
}

/** A body is streamed only by the hub that has the agent (decision 73, the body as standard input). */
async function callWithoutAgent(deps: CallDeps, call: CheckedCall, refusedHere?: Refusal): Promise<Called> {
  const { slug } = call.target.endpoint;
  if ((await deps.remoteHubs?.agents.choose(call.target, new Set())) !== undefined)
    throw refuse(
      'unavailable',
      `the agent of "${slug}" is connected to another hub, and a body is streamed only by the hub that has the agent: try again`,
    );
  if (refusedHere !== undefined) throw refusedHere;
  if (await deps.moving.comes(call.target)) return await callEndpoint(deps, call);
  return await refuseWithoutAgent(deps, call);
}

/**
 * Stores that no agent was connected. The record takes no quota and no idempotency key, so a second attempt may find an agent
 * (decision 23, idempotency).
 */
async function refuseWithoutAgent(deps: CallDeps, call: CheckedCall): Promise<Called> {
  const { idempotency } = call;
  const earlier = idempotency && (await deps.ledger.idempotent(idempotency, deps.clock.nowMs()));
  if (earlier !== undefined) return repeated(deps, call, earlier);
  const execution = newExecution(deps, call, WITHOUT_AGENT);
  await deps.ledger.accept(execution);
  throw refuse('agent_offline', offlineMessage(call.target), { execution_id: execution.id });
}

function offlineMessage({ endpoint, registeredBy, ...target }: RegisteredEndpoint): string {
  const { slug, agentName } = endpoint;
  if (isHosted({ ...target, endpoint })) return `no hosted runner is connected that could run "${slug}"`;
  const which = agentName ?? registeredBy ?? 'default';
  return `no agent is connected that could run "${slug}" (agent "${which}")`;
}

async function repeated(
  deps: CallDeps,
  call: CallRequest,
  first: { readonly executionId: string; readonly requestHash: string },
): Promise<Called> {
  const details = { execution_id: first.executionId };
  if (!isSameRequest(deps.vault, call, first.requestHash))
    throw refuse('idempotency_mismatch', 'this Idempotency-Key came with another request before', details);
  const execution = await deps.ledger.find(first.executionId);
  if (execution === undefined)
    throw refuse('unavailable', 'the record of the first request is gone', details);
  const approval =
    execution.state === 'pending_approval' ? await deps.approvals.ofExecution(execution.id) : undefined;
  if (approval !== undefined) return { kind: 'pending', approval, isFirst: false };
  if (execution.endedAtMs === undefined)
    throw refuse(
      'idempotency_in_progress',
      'the first request with this Idempotency-Key has not ended',
      details,
    );
  return { kind: 'repeated', execution };
}

const IDEMPOTENT_MS = 24 * 60 * 60 * 1000;

/**
 * The `Idempotency-Key` of a call, for one endpoint and one credential; anonymous callers of a public URL share theirs.
 *
 * NOTE: The hash is sealed: values may be secret, and a short value could be guessed from its hash.
 */
function idempotencyOf(vault: Vault, call: CallRequest, nowMs: number): IdempotencyClaim | undefined {
  const { idempotencyKey: key, target } = call;
  if (key === undefined) return undefined;
  return {
    endpointId: target.id,
    credential: `${call.callerKind}:${call.callerId ?? ''}`,
    key,
    requestHash: vault.seal(hashOf(call), ownerOf(call)),
    expiresAtMs: nowMs + IDEMPOTENT_MS,
  };
}

/** Whether two requests with one key are the same; a hash that was sealed with a lost master key matches none. */
function isSameRequest(vault: Vault, call: CallRequest, sealedHash: string): boolean {
  try {
    return vault.open(sealedHash, ownerOf(call)) === hashOf(call);
  } catch {
    return false;
  }
}

function hashOf({ method, values, callbackUrl, input }: CallRequest): string {
  return hash('sha256', requestIdentity(method, values, callbackUrl, input?.sha256));
}

function ownerOf({ workspace, target, idempotencyKey = '' }: CallRequest): SealedFor {
  return { workspaceId: workspace.id, kind: 'request', id: `${target.id} ${idempotencyKey}` };
}
