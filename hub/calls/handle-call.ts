import { wantsRaw } from '@svc/core/api/answer-format';
import { readCallParts } from '@svc/core/api/call-parts';
import { refuseTooLarge } from '@svc/core/api/call-values';
import { readCallback } from '@svc/core/api/callback-url';
import { formatFor, readFailStatus } from '@svc/core/api/fail-status';
import { type Preference, readPrefer } from '@svc/core/api/prefer';
import { METHODS } from '@svc/core/endpoint/definition';
import { rawType } from '@svc/core/endpoint/output-streams';
import { accessToCall, type Caller } from '@svc/core/execution/access';
import { hasSignature } from '@svc/core/pipeline/webhook/signatures';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { aboutExecution, Refusal, refuse } from '@svc/core/refusal';
import { identify, type KeyUse } from '../accounts/identify.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import { hashToken } from '../accounts/make-tokens.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { MovingAgents } from '../agents/moving-agents.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import { refuseCallback } from '../alerts/target-problem.ts';
import type { Approvals } from '../approvals/approval-ports.ts';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { ChangeWaiters } from '../executions/live/change-waiters.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import { redirectFormer } from '../http/former-username.ts';
import { tokenOf } from '../http/identity.ts';
import { watchCaller } from '../http/watch-caller.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Graphs } from '../pipelines/runs/read-graph.ts';
import type { RunDriver } from '../pipelines/runs/run-driver.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import { bugResponse, refusalResponse } from '../platform/http/json-response.ts';
import { refusePipelined } from '../platform/http/refuse-pipelined.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import type { Spool } from '../spool/spool.ts';
import {
  callableOf,
  type FoundEndpoint,
  findTarget,
  identifyForCall,
  limitRate,
  refuseStrangers,
} from './access.ts';
import {
  type AnswerOptions,
  answerNew,
  answerQueued,
  answerRemoteCall,
  answerRepeated,
  pendingResponse,
} from './answer-call.ts';
import { type Called, callEndpoint } from './call-endpoint.ts';
import { callPipeline } from './call-pipeline.ts';
import { idempotencyKey, newReadToken, withRate } from './request-parts.ts';
import { resumeCall } from './resume-call.ts';

export interface HandleCallDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly agents: AgentDirectory;
  readonly approvals: Approvals;
  readonly changes: ChangeWaiters;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly driver: RunDriver;
  readonly remoteHubs: RemoteHubs | undefined;
  readonly moving: Pick<MovingAgents, 'comes'>;
  readonly endpoints: Endpoints;
  readonly executions: RunningExecutions;
  readonly graphs: Graphs;
  readonly hosted: HostedRecords;
  readonly hosts: HostedHosts;
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
  readonly queue: ExecutionQueue;
  readonly random: Random;
  readonly reportBug: (error: unknown) => string;
  readonly runs: PipelineRuns;
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly spool: Spool;
  readonly vault: Vault;
}

const EXPOSED = [
  'X-Execution-Id, X-Run-Id, X-Exit-Code, Location, Retry-After, Preference-Applied',
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
].join(', ');
const CORS = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', EXPOSED],
] as const;
const PREFLIGHT = {
  ...Object.fromEntries(CORS),
  'Access-Control-Allow-Methods': METHODS.join(', '),
  'Access-Control-Allow-Headers':
    'Accept, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer, X-API-Key, X-Callback-Url',
  'Access-Control-Max-Age': '86400',
} as const;

/** Handles `/v1/{username}/{slug}` (reference 4.1). */
export async function handleCall(deps: HandleCallDeps, request: Request, path: CallPath): Promise<Response> {
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: PREFLIGHT });
  return withCors(await answered(deps, request, path));
}

/** Lets pages of every site read the response: it depends only on the key, and never on a cookie. */
export function withCors(response: Response): Response {
  for (const [name, value] of CORS) response.headers.set(name, value);
  return response;
}

export interface CallPath {
  readonly username: string;
  readonly slug: string;
  /** The query without its `?`. */
  readonly query: string;
}

async function answered(deps: HandleCallDeps, request: Request, path: CallPath): Promise<Response> {
  try {
    return await call(deps, request, path);
  } catch (error) {
    if (error instanceof Refusal) return refusalResponse(error);
    throw error;
  }
}

async function call(deps: HandleCallDeps, request: Request, path: CallPath): Promise<Response> {
  // A signed body is read before the sender is known, so its size limit is the same for every target.
  if (hasSignature(request.headers)) refuseTooLarge(request);
  const { caller, lacking } = await identifyForCall(deps, tokenOf(request));
  const found = await findTarget(deps, path.username, path.slug);
  try {
    if (found?.kind === 'pipeline')
      return await callPipeline(deps, request, { ...found, caller, query: path.query });
    if (found === undefined) {
      const moved = await redirectFormer(deps, request, { before: '/v1/', username: path.username });
      if (moved !== undefined) return moved;
    }
    refuseStrangers(caller, found);
    return await callOfEndpoint(deps, request, { ...found, caller, query: path.query });
  } catch (error) {
    const isUnknown = error instanceof Refusal && error.code === 'unauthorized';
    throw isUnknown ? (lacking ?? error) : error;
  }
}

async function callOfEndpoint(
  deps: HandleCallDeps,
  request: Request,
  found: FoundEndpoint & { readonly caller: Caller; readonly query: string },
): Promise<Response> {
  const { caller, workspace } = found;
  const left = limitRate(deps, caller.kind === 'anonymous' ? 'address' : caller, workspace.plan, request);
  return withRate(await answerEndpoint(deps, request, found), left);
}

async function answerEndpoint(
  deps: HandleCallDeps,
  request: Request,
  found: FoundEndpoint & { readonly caller: Caller; readonly query: string },
): Promise<Response> {
  const { caller, workspace, target } = found;
  refuseMethod(target, request.method);
  const lastEventId = request.headers.get('last-event-id');
  if (lastEventId !== null) return resumeCall(deps, request, caller, lastEventId);
  const hasArgument = () => target.endpoint.args.some(({ name }) => name === 'fail');
  const { failStatus, query } = readFailStatus(found.query, hasArgument);
  const maxBytes = PLAN_LIMITS[workspace.plan].stdinBytes;
  const { input, values: given } = await readCallParts(request, query, target.endpoint, maxBytes);
  const { callbackUrl, values } = readCallback({
    header: request.headers.get('x-callback-url'),
    values: given,
    takesArgument: (name) => target.endpoint.args.some((argument) => argument.name === name),
  });
  if (callbackUrl !== undefined) refuseCallbackOf(deps, caller, callbackUrl);
  const prefer = readPrefer(request.headers.get('prefer'));
  const shape = shapeOf(target, request, { inQuery: failStatus, inHeader: prefer.failStatus });
  await refusePipelined(request);
  const readToken = caller.kind === 'anonymous' ? newReadToken(deps) : undefined;
  const called = await callEndpoint(deps, {
    workspace,
    target,
    method: request.method,
    values,
    trigger: 'call',
    callerKind: caller.kind,
    callerId: caller.kind === 'anonymous' ? undefined : caller.id,
    from: deps.addressOf(request),
    asynchronous: prefer.respondAsync,
    readTokenHash: readToken === undefined ? undefined : hashToken(readToken),
    idempotencyKey: idempotencyKey(request),
    callbackUrl,
    input,
  });
  if (called.kind === 'pending')
    return pendingResponse(deps, called.approval, called.isFirst ? readToken : undefined, shape.failStatus);
  const isAllowed = (again: Caller) => accessToCall(again, callableOf(found)) === 'allowed';
  const watch = watchCaller(deps, caller, () => identify(deps, tokenOf(request)), isAllowed);
  const { id } = called.kind === 'running' ? called.running.live : called.execution;
  const uploaded = called.kind === 'running' ? called.running.input?.settled : undefined;
  const options = { ...answerOptions(request, target, prefer, readToken), ...shape, watch, uploaded };
  try {
    return await answerCalled(deps, called, options);
  } catch (error) {
    if (error instanceof Refusal) throw aboutExecution(id, error);
    return bugResponse(deps.reportBug(error), id);
  }
}

function shapeOf(
  { endpoint }: RegisteredEndpoint,
  request: Request,
  asked: Parameters<typeof formatFor>[1],
): Pick<AnswerOptions, 'format' | 'failStatus'> {
  const accept = request.headers.get('accept');
  const raw = rawType(endpoint);
  if (raw === undefined || !wantsRaw(accept, raw)) return formatFor(accept, asked);
  return { format: { raw }, failStatus: asked.inQuery || asked.inHeader };
}

function answerCalled(
  deps: HandleCallDeps,
  called: Exclude<Called, { kind: 'pending' }>,
  wanted: AnswerOptions,
): Response | Promise<Response> {
  // A refusal has its own status, which the events of a stream cannot express.
  const willBeRefused = 'willBeRefused' in called && called.willBeRefused;
  const options: AnswerOptions = willBeRefused ? { ...wanted, format: 'buffered' } : wanted;
  switch (called.kind) {
    case 'queued':
      return answerQueued(deps, called.execution.id, options.readToken);
    case 'running':
      return answerNew(deps, called.running.live, options);
    case 'remote':
      return answerRemoteCall(deps, called, options);
    case 'repeated':
      return answerRepeated(deps, called.execution, options);
  }
}

/** Only a caller who is known may make the hub send requests (decision 39, alerts). */
function refuseCallbackOf({ settings }: HandleCallDeps, caller: Caller, callbackUrl: string): void {
  if (caller.kind === 'anonymous')
    throw refuse(
      'unauthorized',
      'callback_url: only a call with an API key or an access token has a callback',
    );
  refuseCallback(callbackUrl, settings.alertNetworks);
}

/** HEAD and OPTIONS never execute (decision 11, methods). */
function refuseMethod({ endpoint }: RegisteredEndpoint, method: string): void {
  const methods: readonly string[] = endpoint.method === undefined ? METHODS : [endpoint.method];
  if (methods.includes(method)) return;
  const message = `${method} does not call "${endpoint.slug}": use ${methods.join(' or ')}`;
  throw refuse('method_not_allowed', message, { allow: methods.join(', ') });
}

function answerOptions(
  request: Request,
  target: RegisteredEndpoint,
  prefer: Preference,
  readToken: string | undefined,
): Omit<AnswerOptions, 'watch' | 'format' | 'failStatus' | 'uploaded'> {
  const accept = request.headers.get('accept');
  return {
    request,
    prefer,
    readToken,
    isEventSource:
      request.method === 'GET' &&
      accept === 'text/event-stream' &&
      request.headers.get('cache-control') === 'no-cache',
    cancelsOnLeave: target.endpoint.onDisconnect === 'cancel',
  };
}
