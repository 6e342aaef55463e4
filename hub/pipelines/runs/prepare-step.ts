import type { AlertEvent } from '@svc/core/alert/event';
import { refuseUnlessFileArgument } from '@svc/core/api/form/read-form';
import type { RecordedValues } from '@svc/core/approval/shown-command';
import { variablesProblem } from '@svc/core/endpoint/accepted-variable';
import { bind } from '@svc/core/endpoint/bind';
import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { fileArguments } from '@svc/core/endpoint/file-arguments';
import { utf8Length } from '@svc/core/endpoint/value/utf8-length';
import { place } from '@svc/core/execution/placement';
import type { StartStep } from '@svc/core/pipeline/run/action';
import { LIMITS } from '@svc/core/plan/limits';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { Accounts } from '../../accounts/store/account-store.ts';
import type { Credentials } from '../../accounts/store/credentials.ts';
import type { AgentProcess } from '../../agents/directory-ports.ts';
import { isHosted } from '../../agents/host-address.ts';
import { type AlertEventDeps, pendingEvent } from '../../approvals/approval-events.ts';
import type { ApprovalDeps } from '../../approvals/approval-ports.ts';
import { newApproval } from '../../approvals/pending-call.ts';
import {
  type ArtifactInputDeps,
  artifactPath,
  findInputFile,
  formOfArtifacts,
  type InputFile,
} from '../../artifacts/artifact-input.ts';
import { type Begun, type DispatchDeps, reserveSlot, type Slot } from '../../dispatch/dispatch.ts';
import { sentDefinition } from '../../dispatch/execution-order.ts';
import type { RegisteredEndpoint } from '../../endpoints/endpoint-ports.ts';
import type { NewStepExecution } from '../../executions/execution-ports.ts';
import { newExecution, PENDING_APPROVAL, QUEUED, startOn } from '../../executions/new-execution.ts';
import { quotaClaim } from '../../executions/quota-claim.ts';
import { recordEnv } from '../../executions/recorded-args.ts';
import { type Requester, refuseUnknownRequester, requesterOf } from '../../executions/requester.ts';
import type { CallLookups } from '../../lookups/caches.ts';
import type { Clock, Random, Vault } from '../../platform/world.ts';
import { type CommandSecrets, commandSecrets, useOf } from '../../secret-grants/order-secrets.ts';
import { isAboutProcess } from '../../secret-grants/secret-terms.ts';
import type { Secrets } from '../../secrets/store/secret-store.ts';
import type { PipelineRun, RunFacts, StepStart } from './run-ports.ts';

export type PrepareDeps = {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly hubId: string;
  readonly secrets: Secrets;
  readonly accounts: Accounts;
  readonly credentials: Credentials;
} & DispatchDeps &
  ArtifactInputDeps &
  ApprovalDeps &
  AlertEventDeps & {
    readonly lookups: Pick<CallLookups, 'endpoint'>;
  };

/** An attempt at a step, ready to be stored. */
export interface PreparedStep {
  readonly start: StepStart;
  readonly alerts: readonly AlertEvent[];
  /** The order that the slot sends when the turn is stored; undefined: the step waits for an agent, or for approval. */
  readonly begun: Begun | undefined;
  /** To be released once, when the step is sent or its turn is not stored. */
  readonly slot: Slot | undefined;
}

/**
 * Creates the execution of a step like any other (decision 14, nothing runs before its record; decision 24, states and takeover):
 * it starts when an agent has a free slot, else it is queued; or it waits for an approval (reference 3.1).
 *
 * @throws a refusal with the reason why the step cannot be called
 */
export async function prepareStep(
  deps: PrepareDeps,
  run: RunFacts,
  action: StartStep,
): Promise<PreparedStep> {
  const target = await targetOf(deps, run, action);
  const secrets = await commandSecrets(deps, useOf(target));
  const texts = new Map(Object.entries(action.args));
  const wanted = filesOf(target.endpoint, action);
  // The agent binds the arguments again; this check refuses invalid ones before anything is stored.
  bind(
    target.endpoint,
    texts,
    secrets.values,
    new Map(wanted.map(({ argument }) => [argument.name, '/file'])),
  );
  refuseUnacceptable(target.endpoint, action.env);
  refuseTooLong(action.env);
  const step = {
    runId: run.id,
    id: action.step,
    attempt: action.attempt,
    env: recordEnv(action.env),
    agentName: action.agentName,
  };
  const files = await Promise.all(wanted.map((one) => findInputFile(deps, run.workspaceId, one)));
  const paths = files.map(
    ({ argument, artifact }) => [argument, artifactPath(artifact.executionId, artifact.name)] as const,
  );
  const values = new Map([...texts, ...paths]);
  const call: StepCall = { run, target, texts, files, values, env: action.env, step, secrets };
  return target.endpoint.approvalRequired
    ? await prepareForApproval(deps, call)
    : await prepareToStart(deps, call);
}

interface StepCall {
  readonly run: RunFacts;
  readonly target: RegisteredEndpoint;
  /** The values of the order. Its files come apart from it. */
  readonly texts: ReadonlyMap<string, string>;
  readonly files: readonly InputFile[];
  /** The values of the record, which names the files, too. */
  readonly values: ReadonlyMap<string, string>;
  readonly env: StartStep['env'];
  readonly step: NewStepExecution['step'];
  readonly secrets: CommandSecrets;
}

/**
 * The files of earlier steps for a step (decision 82, artifacts as inputs of steps).
 *
 * @throws `invalid_argument`, or `not_supported` for an endpoint that can get no files
 */
function filesOf({ args, slug, approvalRequired, agentName }: Endpoint, { files = {} }: StartStep) {
  const given = Object.entries(files);
  if (given.length > 0 && approvalRequired)
    throw refuse('not_supported', `"${slug}" needs an approval, which does not cover files`);
  if (given.length > 0 && agentName === HOSTED_AGENT)
    throw refuse('not_supported', `"${slug}" runs on the hosted runner, which takes no files`);
  return given.map(([name, { step, name: file, execution: executionId }]) => {
    refuseUnlessFileArgument(name, args);
    const argument = fileArguments(args).find((one) => one.name === name) as Argument;
    if (executionId === undefined)
      throw refuse(
        'invalid_argument',
        `argument "${name}": step "${step}" did not run, so it left no file "${file}"`,
      );
    return { argument, executionId, name: file };
  });
}

/** The endpoint with the overrides of the step. */
async function targetOf(
  { lookups }: PrepareDeps,
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

/** A step can only shorten the timeout of a file (decision 60, the file is a floor). */
function stepTimeout({ source, endpoint }: RegisteredEndpoint, ofStep: number | undefined): number {
  if (ofStep === undefined) return endpoint.timeoutSec;
  return source === 'config' ? Math.min(ofStep, endpoint.timeoutSec) : ofStep;
}

/** The endpoint may have changed since the pipeline was saved. */
function refuseUnacceptable(endpoint: RegisteredEndpoint['endpoint'], env: StartStep['env']): void {
  const problem = variablesProblem(endpoint.slug, endpoint, Object.keys(env));
  if (problem !== undefined) throw refuse('invalid_argument', problem);
}

/** The largest size that fits into a frame and an environment. */
function refuseTooLong(env: StartStep['env']): void {
  const bytes = Object.entries(env).reduce(
    (sum, [name, value]) => sum + utf8Length(name) + utf8Length(value),
    0,
  );
  if (bytes <= LIMITS.valuesTotalBytes) return;
  throw refuse('payload_too_large', `the variables have more than ${LIMITS.valuesTotalBytes} bytes together`);
}

async function prepareToStart(deps: PrepareDeps, call: StepCall): Promise<PreparedStep> {
  const { target, secrets, texts, files, env } = call;
  const workspace = await deps.accounts.workspaceById(target.workspaceId);
  if (workspace === undefined) throw refuse('not_found', 'its workspace was deleted');
  // From here on nothing is awaited until the slot is reserved.
  const chosen = roomAt(deps, target, secrets);
  const refusal = chosen && secrets.refusalFor(chosen);
  if (refusal !== undefined && !isAboutProcess(refusal)) throw refusal;
  // From the queue another hub can take it, which may have a process that may have the secrets.
  const process = refusal === undefined ? chosen : undefined;
  const execution = stepExecution(deps, call, process === undefined ? QUEUED : startOn(process));
  const quota = quotaClaim(workspace, execution.createdAtMs);
  const start = { execution, quota, approval: undefined };
  if (process === undefined) return { start, alerts: [], begun: undefined, slot: undefined };
  const definition = sentDefinition(target, process.name);
  const order = { args: Object.fromEntries(texts), env, secrets: secrets.values };
  const input = files.length === 0 ? undefined : formOfArtifacts(deps.files, execution.id, files);
  const slot = reserveSlot(deps, { process, endpointId: target.id });
  return { start, alerts: [], begun: { execution, values: order, definition, input }, slot };
}

/**
 * Undefined where the step waits: no agent is connected, or its endpoint has no free slot; hosted steps wait in the queue.
 */
function roomAt(
  { agents, executions }: PrepareDeps,
  target: RegisteredEndpoint,
  { mayHave }: CommandSecrets,
): AgentProcess | undefined {
  if (isHosted(target)) return undefined;
  const { maxConcurrent } = target.endpoint;
  const running = executions.countOf(target.id);
  const placement = place({ process: agents.choose(target, mayHave), running, maxConcurrent });
  return placement.kind === 'dispatch' ? placement.process : undefined;
}

async function prepareForApproval(deps: PrepareDeps, call: StepCall): Promise<PreparedStep> {
  const { target, run } = call;
  const { endpoint, workspaceId } = target;
  const { pendingApprovalsPerEndpoint: limit } = LIMITS;
  if ((await deps.approvals.pendingOf({ workspaceId, slug: endpoint.slug }, limit)) >= limit)
    throw refuse('concurrency_limited', `${limit} calls of "${endpoint.slug}" wait for approval already`);
  const requester = await runRequester(deps, run);
  refuseUnknownRequester(endpoint, requester);
  const execution = stepExecution(deps, call, PENDING_APPROVAL);
  const approval = newApproval(deps, target, execution, requester);
  const values = JSON.parse(execution.args) as RecordedValues;
  const alert = pendingEvent(deps, { approval, endpoint, values, callbackUrl: undefined });
  const start = { execution, quota: undefined, approval };
  return { start, alerts: [alert], begun: undefined, slot: undefined };
}

function stepExecution(
  deps: PrepareDeps,
  { run, target, values, env, step }: StepCall,
  start: Parameters<typeof newExecution>[2],
): NewStepExecution {
  const { callerId, readTokenHash } = run;
  // An execution has no record for the signer of a webhook; the run has it.
  const callerKind = run.callerKind === 'signature' ? 'anonymous' : run.callerKind;
  const by = { callerKind, callerId, readTokenHash, trigger: 'pipeline', asynchronous: true } as const;
  return { ...newExecution(deps, { target, values, env, ...by }, start), step };
}

/** Whether a refusal is permanent, because it concerns the step's values, which never change. */
export function isForGood({ code }: Refusal): boolean {
  return code === 'invalid_argument' || code === 'payload_too_large' || code === 'quota_exceeded';
}

type Caller = Pick<PipelineRun, 'workspaceId' | 'slug' | 'trigger' | 'callerKind' | 'callerId'>;

/** The requester of a step for approvers: the caller who started the run. */
async function runRequester(
  deps: { readonly accounts: Accounts; readonly credentials: Credentials },
  { workspaceId, slug, trigger, callerKind, callerId }: Caller,
): Promise<Requester> {
  if (callerKind === 'signature')
    return { name: `pipeline "${slug}", begun by a signed request`, userId: undefined };
  if (callerKind === 'anonymous')
    return { name: `pipeline "${slug}", begun by somebody without a key`, userId: undefined };
  const { name, userId } = await requesterOf(deps, {
    callerKind,
    callerId,
    trigger: trigger === 'mcp' ? 'mcp' : 'pipeline',
    from: undefined,
    target: { workspaceId },
  });
  return { name: `pipeline "${slug}", begun by ${name}`, userId };
}
