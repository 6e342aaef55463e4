import type { AgentProcess } from '../agents/directory-ports.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { CallRequest, KeptInput, NewExecution } from './execution-ports.ts';
import { recordArgs } from './recorded-args.ts';

/** The first state of an execution, and its agent. */
export type Start = Pick<NewExecution, 'state' | 'reason' | 'agentName' | 'agentInstance' | 'agentBoot'>;

const NO_AGENT = { agentName: undefined, agentInstance: undefined, agentBoot: undefined };

export const WITHOUT_AGENT: Start = { state: 'rejected', reason: 'agent_offline', ...NO_AGENT };
export const QUEUED: Start = { state: 'queued', reason: undefined, ...NO_AGENT };
export const PENDING_APPROVAL: Start = { state: 'pending_approval', reason: undefined, ...NO_AGENT };

export function startOn({ name, instance, boot }: AgentProcess): Start {
  return { state: 'running', reason: undefined, agentName: name, agentInstance: instance, agentBoot: boot };
}

/** The record of a call, with the endpoint as it is now and with sealed secret arguments. */
export function newExecution(
  deps: { readonly clock: Clock; readonly random: Random; readonly vault: Vault; readonly hubId: string },
  call: Omit<CallRequest, 'workspace' | 'method' | 'idempotencyKey' | 'from'> & {
    /** The variables of a step. */
    readonly env?: Readonly<Record<string, string>>;
    /** The body that waits for approval, and its files. */
    readonly kept?: KeptInput | undefined;
    readonly files?: NewExecution['files'];
  },
  start: Start,
  id = deps.random.uuid(),
): NewExecution {
  const { target } = call;
  const { workspaceId } = target;
  return {
    id,
    workspaceId,
    endpointId: target.id,
    endpointVersion: target.version,
    slug: target.endpoint.slug,
    definitionHash: target.definitionHash,
    ...start,
    trigger: call.trigger,
    callerKind: call.callerKind,
    callerId: call.callerId,
    ...recordArgs(deps.vault, { id, workspaceId }, target.endpoint.args, call),
    hubId: deps.hubId,
    asynchronous: call.asynchronous,
    timeoutSec: target.endpoint.timeoutSec,
    createdAtMs: deps.clock.nowMs(),
    readTokenHash: call.readTokenHash,
    callbackUrl: call.callbackUrl,
    files: call.files,
  };
}
