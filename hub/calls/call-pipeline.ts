import { readBodyBytes } from '@svc/core/api/call-values';
import { CALLBACK_HEADER } from '@svc/core/api/callback-url';
import { formatFor, readFailStatus } from '@svc/core/api/fail-status';
import { readPrefer } from '@svc/core/api/prefer';
import { accessToCall, type Caller } from '@svc/core/execution/access';
import { readTriggerFacts, withTriggerFacts } from '@svc/core/pipeline/reference/trigger-facts';
import {
  deliveryKeys,
  hasSignature,
  isFromSender,
  type Signature,
} from '@svc/core/pipeline/webhook/signatures';
import type { RateLeft } from '@svc/core/plan/rate-limit';
import { refuse } from '@svc/core/refusal';
import { identify, type KeyUse } from '../accounts/identify.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import { hashToken } from '../accounts/make-tokens.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { Approvals } from '../approvals/approval-ports.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { ChangeWaiters } from '../executions/live/change-waiters.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import { refuseUsedUp } from '../executions/quota-claim.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import { tokenOf } from '../http/identity.ts';
import { watchCaller } from '../http/watch-caller.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { answerRun, type RunAnswerOptions } from '../pipelines/runs/http/answer-run.ts';
import { answerRepeatedRun } from '../pipelines/runs/http/repeated-run.ts';
import type { Graphs } from '../pipelines/runs/read-graph.ts';
import type { RunDriver } from '../pipelines/runs/run-driver.ts';
import type { RunFacts } from '../pipelines/runs/run-ports.ts';
import { startRun } from '../pipelines/runs/start-run.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { RunStarted } from '../pipelines/runs/store-run.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import { provenSignature } from '../pipelines/webhook/check-webhook-signature.ts';
import { sealedRequest } from '../pipelines/webhook/kept-request.ts';
import { readInput } from '../pipelines/webhook/read-input.ts';
import { credentialText, runClaims } from '../pipelines/webhook/run-claims.ts';
import { objectResponse } from '../platform/http/json-response.ts';
import { refusePipelined } from '../platform/http/refuse-pipelined.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { callableOf, type FoundPipeline, isToBeSigned, limitRate, refuseStrangers } from './access.ts';
import { idempotencyKey, keyIn, newReadToken, withRate } from './request-parts.ts';
import { resumeCall } from './resume-call.ts';

export interface CallPipelineDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly agents: AgentDirectory;
  readonly approvals: Approvals;
  readonly changes: ChangeWaiters;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly driver: RunDriver;
  readonly remoteHubs: RemoteHubs | undefined;
  readonly executions: RunningExecutions;
  readonly graphs: Graphs;
  readonly hubId: string;
  readonly keepOpen: (request: Request) => void;
  readonly keyUse: KeyUse;
  readonly knownAgents: KnownAgents;
  readonly ledger: ExecutionLedger;
  readonly limiter: RateLimiter;
  readonly linkTokens: LinkTokens;
  readonly lookups: CallLookups;
  readonly openStreams: OpenStreams;
  readonly pipelines: Pipelines;
  readonly random: Random;
  readonly reportBug: (error: unknown) => string;
  readonly runs: PipelineRuns;
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly vault: Vault;
}

type Found = FoundPipeline & {
  readonly caller: Caller;
  /** The query without its `?`. */
  readonly query: string;
};

/** The caller as the record of the run names it; a caller with a valid signature needs no key. */
type Origin = Pick<RunFacts, 'callerKind' | 'callerId'>;

/** Calls a pipeline: checks the caller, reads the input, and starts one run (decision 43, calling a pipeline). */
export async function callPipeline(
  deps: CallPipelineDeps,
  request: Request,
  found: Found,
): Promise<Response> {
  const { caller, target, workspace } = found;
  const { method, headers } = request;
  const toBeSigned = isToBeSigned(target);
  const isKnown = accessToCall(caller, callableOf(found)) === 'allowed';
  let left: RateLeft | undefined;
  if (isKnown) {
    left = limitRate(deps, caller.kind === 'anonymous' ? 'address' : caller, workspace.plan, request);
    refuseMethod(target.pipeline.slug, method);
  } else if (!toBeSigned || method !== 'POST' || !hasSignature(headers)) refuseStrangers(caller, found);
  const lastEventId = headers.get('last-event-id');
  if (lastEventId !== null) return await resumeCall(deps, request, caller, lastEventId);
  const bytes = await readBodyBytes(request);
  const signature = toBeSigned ? await provenSignature(deps, request, found, bytes) : undefined;
  left ??= isKnown ? undefined : limitRate(deps, { signedFor: target.id }, workspace.plan, request);
  const origin = isKnown && caller.kind !== 'anonymous' ? caller : undefined;
  if (isPing(found, headers)) return withRate(objectResponse(PONG, 202), left);
  const response = await begin(deps, request, {
    ...found,
    bytes,
    signature,
    origin:
      origin === undefined
        ? { callerKind: signature === undefined ? 'anonymous' : 'signature', callerId: undefined }
        : { callerKind: origin.kind, callerId: origin.id },
  });
  return withRate(response, left);
}

/** HEAD and OPTIONS never execute, nor does GET, which links and browsers send by themselves (decision 11, methods). */
function refuseMethod(slug: string, method: string): void {
  if (method === 'POST') return;
  throw refuse('method_not_allowed', `${method} does not start "${slug}": use POST`, { allow: 'POST' });
}

interface Call extends Found {
  readonly bytes: Uint8Array;
  readonly signature: Signature | undefined;
  readonly origin: Origin;
}

async function begin(deps: CallPipelineDeps, request: Request, call: Call): Promise<Response> {
  const { target, workspace, bytes, signature, origin } = call;
  const { trigger } = target.pipeline;
  if (request.headers.has('x-callback-url'))
    throw refuse(
      'invalid_argument',
      `${CALLBACK_HEADER}: a run has no callback; an alert rule for pipeline.succeeded and pipeline.failed reports its end`,
    );
  const body = { headers: request.headers, bytes, isSigned: signature !== undefined };
  const input = readInput(trigger, body);
  // Before the run starts: a refusal must leave nothing that runs.
  const options = answerOptions(deps, request, call);
  await refusePipelined(request);
  await refuseUsedUp(deps, workspace);
  const readToken = origin.callerKind === 'anonymous' ? newReadToken(deps) : undefined;
  const started: RunStarted = await startRun(deps, {
    ...origin,
    workspace,
    target,
    input: trigger.type === 'webhook' ? withTriggerFacts(input, readTriggerFacts(request.headers)) : input,
    trigger: trigger.type === 'webhook' ? 'webhook' : 'call',
    readTokenHash: readToken === undefined ? undefined : hashToken(readToken),
    withRun: {
      claims: runClaims(
        deps.vault,
        target,
        { keys: keysOf(request, call), credential: credentialText(origin), request: input },
        deps.clock.nowMs(),
      ),
      sealedRequest: signature === undefined ? undefined : sealedRequest(deps.vault, target, body),
    },
  });
  return started.kind === 'started'
    ? await answerRun(deps, started.run, { ...options, readToken })
    : await answerRepeatedRun(deps, { ...started, pipeline: target, request: input }, options);
}

const PONG = { status: 'ignored', message: 'a ping of GitHub starts no run' } as const;

/** GitHub sends it when a webhook is created, with a body unlike that of any other event. */
function isPing({ target }: Found, headers: Headers): boolean {
  return target.pipeline.trigger.type === 'webhook' && headers.get('x-github-event') === 'ping';
}

/** The idempotency keys of the call; delivery ids count for webhooks only. */
function keysOf(request: Request, { target, signature }: Call): string[] {
  const own = idempotencyKey(request);
  const keys = own === undefined ? [] : [own];
  if (target.pipeline.trigger.type !== 'webhook') return keys;
  for (const name of ['X-GitHub-Delivery', 'webhook-id']) keyIn(request.headers, name);
  return [...keys, ...deliveryKeys(request.headers, signature)];
}

function answerOptions(
  deps: CallPipelineDeps,
  request: Request,
  call: Call,
): Omit<RunAnswerOptions, 'readToken'> {
  const { caller, target } = call;
  const { headers } = request;
  const accept = headers.get('accept');
  const prefer = readPrefer(headers.get('prefer'));
  const { failStatus: inQuery } = readFailStatus(call.query, () => false);
  const isAllowed = (again: Caller) => accessToCall(again, callableOf(call)) === 'allowed';
  return {
    request,
    prefer,
    ...formatFor(accept, { inQuery, inHeader: prefer.failStatus }),
    isFromSender: target.pipeline.trigger.type === 'webhook' && isFromSender(headers),
    isEventSource: accept === 'text/event-stream' && headers.get('cache-control') === 'no-cache',
    watch:
      call.origin.callerKind === 'signature'
        ? undefined
        : watchCaller(deps, caller, () => identify(deps, tokenOf(request)), isAllowed),
  };
}
