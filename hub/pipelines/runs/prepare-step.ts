import type { AlertEvent } from '@svc/core/alert/event';
import type { HeldValues } from '@svc/core/approval/shown-command';
import { variablesProblem } from '@svc/core/endpoint/accepted-variable';
import { bind } from '@svc/core/endpoint/bind';
import { utf8Length } from '@svc/core/endpoint/value/utf8-length';
import type { StartStep } from '@svc/core/pipeline/run/action';
import { LIMITS } from '@svc/core/plan/limits';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { Accounts, Credentials } from '../../accounts/account-ports.ts';
import type { AgentDirectory, AgentProcess } from '../../agents/directory-ports.ts';
import { isHosted } from '../../agents/host-address.ts';
import { pendingEvent, type TellPorts } from '../../approvals/approval-events.ts';
import type { ApprovalPorts } from '../../approvals/approval-ports.ts';
import { newApproval } from '../../approvals/new-approval.ts';
import { type OrderValues, sentDefinition } from '../../dispatch/run-order.ts';
import type { RegisteredEndpoint } from '../../endpoints/endpoint-ports.ts';
import type { NewStepExecution } from '../../executions/execution-ports.ts';
import type { RunningExecutions } from '../../executions/live/running-executions.ts';
import { newExecution, PENDING_APPROVAL, QUEUED, startOn } from '../../executions/new-execution.ts';
import { quotaClaim } from '../../executions/quota-claim.ts';
import { recordEnv } from '../../executions/recorded-args.ts';
import { refuseUnknownRequester } from '../../executions/requester.ts';
import type { CallLookups } from '../../lookups/caches.ts';
import type { Clock, Random, Vault } from '../../platform/world.ts';
import { type CommandSecrets, commandSecrets, useOf } from '../../secret-grants/order-secrets.ts';
import { isAboutProcess } from '../../secret-grants/secret-terms.ts';
import type { Secrets } from '../../secrets/secret-ports.ts';
import type { PipelineRun, RunFacts, StepStart } from './run-ports.ts';
import { runRequester } from './run-requester.ts';

export type PreparePorts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly hubId: string;
  readonly secrets: Secrets;
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly agents: AgentDirectory;
} & ApprovalPorts &
  TellPorts & {
    readonly lookups: Pick<CallLookups, 'endpoint'>;
    readonly executions: Pick<RunningExecutions, 'countOf' | 'hold'>;
  };

/** An attempt at a step that is ready to be put on record. */
export interface PreparedStep {
  readonly start: StepStart;
  readonly alerts: readonly AlertEvent[];
  /** Who is told to run it once it is on record; undefined: it waits for an agent, or for a person. */
  readonly dispatch: Dispatch | undefined;
  /** Lets go of what was held for it at its endpoint and its agent; to be called once, when it has its place or is given up. */
  readonly giveBack: () => void;
}

export interface Dispatch {
  readonly process: AgentProcess;
  readonly values: OrderValues;
  readonly definition: string | undefined;
}

/**
 * Makes of the call of a step an execution as any other (decisions 14, 24): it starts where an agent is there and has room,
 * else it is queued; or it waits for a person (reference 3.1).
 *
 * @throws a refusal that says why the step cannot be called
 */
export async function prepareStep(
  ports: PreparePorts,
  run: RunFacts,
  action: StartStep,
): Promise<PreparedStep> {
  const target = await targetOf(ports, run, action);
  const secrets = await commandSecrets(ports, useOf(target));
  const values = new Map(Object.entries(action.args));
  // The agent binds them again; here it is found out before anything is on record that they cannot be.
  bind(target.endpoint, values, secrets.values);
  refuseUnacceptable(target.endpoint, action.env);
  refuseTooLong(action.env);
  const step = {
    runId: run.id,
    id: action.step,
    attempt: action.attempt,
    env: recordEnv(action.env),
    agentName: action.agentName,
  };
  const call: StepCall = { run, target, values, env: action.env, step, secrets };
  return target.endpoint.approvalRequired ? await held(ports, call) : await ready(ports, call);
}

interface StepCall {
  readonly run: RunFacts;
  readonly target: RegisteredEndpoint;
  readonly values: ReadonlyMap<string, string>;
  readonly env: StartStep['env'];
  readonly step: NewStepExecution['step'];
  readonly secrets: CommandSecrets;
}

/** The endpoint as the step calls it: what the step says holds instead of what the endpoint does. */
async function targetOf(
  { lookups }: PreparePorts,
  { workspaceId }: Pick<PipelineRun, 'workspaceId'>,
  { endpoint: slug, agentName, timeoutSec }: StartStep,
): Promise<RegisteredEndpoint> {
  const target = await lookups.endpoint(workspaceId, slug);
  if (target === undefined) throw refuse('not_found', `there is no endpoint "${slug}" any more`);
  const { endpoint } = target;
  return {
    ...target,
    endpoint: {
      ...endpoint,
      timeoutSec: stepTimeout(target, timeoutSec),
      ...(agentName === undefined ? {} : { agentName }),
    },
  };
}

/** The timeout of a file is a floor: a step can only shorten it (decision 60). */
function stepTimeout({ source, endpoint }: RegisteredEndpoint, ofStep: number | undefined): number {
  if (ofStep === undefined) return endpoint.timeoutSec;
  return source === 'config' ? Math.min(ofStep, endpoint.timeoutSec) : ofStep;
}

/** The endpoint may have changed since the pipeline was saved. */
function refuseUnacceptable(endpoint: RegisteredEndpoint['endpoint'], env: StartStep['env']): void {
  const problem = variablesProblem(endpoint.slug, endpoint, Object.keys(env));
  if (problem !== undefined) throw refuse('invalid_argument', problem);
}

/** A frame and an environment hold no more. */
function refuseTooLong(env: StartStep['env']): void {
  const bytes = Object.entries(env).reduce(
    (sum, [name, value]) => sum + utf8Length(name) + utf8Length(value),
    0,
  );
  if (bytes <= LIMITS.valuesTotalBytes) return;
  throw refuse('payload_too_large', `the variables have more than ${LIMITS.valuesTotalBytes} bytes together`);
}

async function ready(ports: PreparePorts, call: StepCall): Promise<PreparedStep> {
  const { target, secrets, values, env } = call;
  const workspace = await ports.accounts.workspaceById(target.workspaceId);
  if (workspace === undefined) throw refuse('not_found', 'its workspace was deleted');
  // From here on nothing is awaited until its place is its own.
  const chosen = roomAt(ports, target, secrets);
  const refusal = chosen && secrets.refusalFor(chosen);
  if (refusal !== undefined && !isAboutProcess(refusal)) throw refusal;
  // In the queue another hub may take it, which has the process that may have its secrets.
  const process = refusal === undefined ? chosen : undefined;
  const execution = stepExecution(ports, call, process === undefined ? QUEUED : startOn(process));
  const quota = quotaClaim(workspace, execution.createdAtMs);
  const start = { execution, quota, approval: undefined };
  if (process === undefined) return { start, alerts: [], dispatch: undefined, giveBack: () => undefined };
  const definition = sentDefinition(target, process.name);
  const order = { args: Object.fromEntries(values), env, secrets: secrets.values };
  const holds = [ports.executions.hold(target.id), ports.agents.hold(process)];
  const giveBack = () => {
    for (const letGo of holds) letGo();
  };
  return { start, alerts: [], dispatch: { process, values: order, definition }, giveBack };
}

/** Undefined where it has to wait: no agent is there, or as many run as may; for the hosted runner all wait in one line. */
function roomAt(
  { agents, executions }: PreparePorts,
  target: RegisteredEndpoint,
  { mayHave }: CommandSecrets,
): AgentProcess | undefined {
  if (isHosted(target)) return undefined;
  const { maxConcurrent = Number.POSITIVE_INFINITY } = target.endpoint;
  return executions.countOf(target.id) < maxConcurrent ? agents.choose(target, mayHave) : undefined;
}

async function held(ports: PreparePorts, call: StepCall): Promise<PreparedStep> {
  const { target, run } = call;
  const { endpoint, workspaceId } = target;
  const { pendingApprovalsPerEndpoint: limit } = LIMITS;
  if ((await ports.approvals.pendingOf({ workspaceId, slug: endpoint.slug }, limit)) >= limit)
    throw refuse('concurrency_limited', `${limit} calls of "${endpoint.slug}" wait for approval already`);
  const requester = await runRequester(ports, run);
  refuseUnknownRequester(endpoint, requester);
  const execution = stepExecution(ports, call, PENDING_APPROVAL);
  const approval = newApproval(ports, target, execution, requester);
  const heldValues = JSON.parse(execution.args) as HeldValues;
  const told = pendingEvent(ports, { approval, endpoint, values: heldValues, callbackUrl: undefined });
  const start = { execution, quota: undefined, approval };
  return { start, alerts: [told], dispatch: undefined, giveBack: () => undefined };
}

function stepExecution(
  ports: PreparePorts,
  { run, target, values, env, step }: StepCall,
  start: Parameters<typeof newExecution>[2],
): NewStepExecution {
  const { callerId, readTokenHash } = run;
  // Who signed is nobody whom an execution knows; the run says who it was.
  const callerKind = run.callerKind === 'signature' ? 'anonymous' : run.callerKind;
  const by = { callerKind, callerId, readTokenHash, trigger: 'pipeline', asynchronous: true } as const;
  return { ...newExecution(ports, { target, values, env, ...by }, start), step };
}

/** Whether the refusal of a step would be the same at every try: it is about its values, which never change. */
export function isForGood({ code }: Refusal): boolean {
  return code === 'invalid_argument' || code === 'payload_too_large' || code === 'quota_exceeded';
}
