import { answerFormat } from '@svc/core/api/answer-format';
import { readCallValues } from '@svc/core/api/call-values';
import { type Preference, readPrefer } from '@svc/core/api/prefer';
import { METHODS } from '@svc/core/endpoint/definition';
import { accessToCall, type Caller } from '@svc/core/execution/access';
import { isIdempotencyKey } from '@svc/core/execution/request-identity';
import { PLAN_LIMITS, type Plan } from '@svc/core/plan/plans';
import { Refusal, refuse } from '@svc/core/refusal';
import { hashToken } from '../../engine/account/hash-token.ts';
import { identify } from '../../engine/account/identify.ts';
import { callEndpoint } from '../../engine/execution/call-endpoint.ts';
import type { Workspace } from '../../engine/ports/accounts.ts';
import type { RegisteredEndpoint } from '../../engine/ports/endpoints.ts';
import type { HubContext } from '../context.ts';
import { refusalResponse } from '../json-response.ts';
import { limitedNetwork } from '../limited-network.ts';
import { watchCaller } from '../routes/watch-caller.ts';
import { type AnswerOptions, answerNew, answerRepeated } from './answer-call.ts';
import { heldResponse } from './answer-held.ts';
import { tokenOf } from './credential.ts';
import { resumeCall } from './resume-call.ts';

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Execution-Id, Location, Retry-After',
} as const;
const PREFLIGHT = {
  ...CORS,
  'Access-Control-Allow-Methods': METHODS.join(', '),
  'Access-Control-Allow-Headers':
    'Accept, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer, X-API-Key',
  'Access-Control-Max-Age': '86400',
} as const;

/** `/v1/{username}/{slug}`: everything that a caller of an endpoint can be answered (reference 4.1). */
export async function handleCall(context: HubContext, request: Request, path: CallPath): Promise<Response> {
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: PREFLIGHT });
  const response = await answered(context, request, path);
  for (const [name, value] of Object.entries(CORS)) response.headers.set(name, value);
  return response;
}

export interface CallPath {
  readonly username: string;
  readonly slug: string;
  /** Without its `?`. */
  readonly query: string;
}

async function answered(context: HubContext, request: Request, path: CallPath): Promise<Response> {
  try {
    return await call(context, request, path);
  } catch (error) {
    if (error instanceof Refusal) return refusalResponse(error);
    throw error;
  }
}

async function call(context: HubContext, request: Request, path: CallPath): Promise<Response> {
  const caller = await identify(context, tokenOf(request));
  const { workspace, target } = await allowedTarget(context, caller, path);
  limitRate(context, caller, workspace.plan, request);
  refuseMethod(target, request.method);
  const lastEventId = request.headers.get('last-event-id');
  if (lastEventId !== null) return resumeCall(context, request, caller, lastEventId);
  const values = await readCallValues(request, path.query);
  const prefer = readPrefer(request.headers.get('prefer'));
  const readToken = caller.kind === 'anonymous' ? newReadToken(context) : undefined;
  const called = await callEndpoint(context, {
    workspace,
    target,
    method: request.method,
    values,
    trigger: 'call',
    callerKind: caller.kind,
    callerId: caller.kind === 'anonymous' ? undefined : caller.id,
    from: context.addressOf(request),
    asynchronous: prefer.respondAsync,
    readTokenHash: readToken === undefined ? undefined : hashToken(readToken),
    idempotencyKey: idempotencyKey(request),
  });
  if (called.kind === 'held')
    return heldResponse(context, called.approval, called.isFirst ? readToken : undefined);
  const isAllowed = (again: Caller) => accessToCall(again, callableOf(target)) === 'allowed';
  const watch = watchCaller(context, caller, () => identify(context, tokenOf(request)), isAllowed);
  const options = { ...answerOptions(request, target, prefer, readToken), watch };
  return called.kind === 'running'
    ? answerNew(context, called.running.live, options)
    : answerRepeated(context, called.execution, options);
}

interface Target {
  readonly workspace: Workspace;
  readonly target: RegisteredEndpoint;
}

/** One code path for what is absent, foreign and out of scope: an answer says nothing about others (decision 25). */
async function allowedTarget(
  { lookups }: HubContext,
  caller: Caller,
  { username, slug }: CallPath,
): Promise<Target> {
  const workspace = await lookups.workspace(username);
  const target = workspace && (await lookups.endpoint(workspace.id, slug));
  const access = accessToCall(caller, target && callableOf(target));
  if (access === 'unauthorized') throw refuse('unauthorized', 'a valid API key is needed, in X-API-Key');
  if (access === 'not_found' || workspace === undefined || target === undefined)
    throw refuse('not_found', 'there is no such user or endpoint, or this key may not call it');
  return { workspace, target };
}

function callableOf({ workspaceId, endpoint }: RegisteredEndpoint) {
  return { workspaceId, slug: endpoint.slug, public: endpoint.public };
}

function limitRate(
  { limiter, settings, addressOf }: HubContext,
  caller: Caller,
  plan: Plan,
  request: Request,
): void {
  const { callsPerMinutePerKey, publicCallsPerMinutePerAddress } = PLAN_LIMITS[plan];
  const { rates } = settings;
  if (caller.kind !== 'anonymous') {
    limiter.take(`${caller.kind}:${caller.id}`, rateOf(rates.key, callsPerMinutePerKey));
    return;
  }
  const perMinute = rateOf(rates.public, publicCallsPerMinutePerAddress);
  if (perMinute !== undefined) limiter.take(`address:${limitedNetwork(addressOf(request))}`, perMinute);
}

function rateOf(setting: number | 'off' | undefined, ofPlan: number | undefined): number | undefined {
  return setting === 'off' ? undefined : (setting ?? ofPlan);
}

/** HEAD and OPTIONS never execute (decision 11). */
function refuseMethod({ endpoint }: RegisteredEndpoint, method: string): void {
  const methods: readonly string[] = endpoint.method === undefined ? METHODS : [endpoint.method];
  if (methods.includes(method)) return;
  const message = `${method} does not call "${endpoint.slug}": use ${methods.join(' or ')}`;
  throw refuse('method_not_allowed', message, { allow: methods.join(', ') });
}

function idempotencyKey({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (isIdempotencyKey(key)) return key;
  throw refuse('invalid_argument', 'Idempotency-Key: 1 to 255 visible ASCII characters expected');
}

function newReadToken({ random }: HubContext): string {
  return random.bytes(32).toHex();
}

function answerOptions(
  request: Request,
  target: RegisteredEndpoint,
  prefer: Preference,
  readToken: string | undefined,
): Omit<AnswerOptions, 'watch'> {
  const accept = request.headers.get('accept');
  return {
    request,
    prefer,
    readToken,
    format: answerFormat(accept),
    isEventSource:
      request.method === 'GET' &&
      accept === 'text/event-stream' &&
      request.headers.get('cache-control') === 'no-cache',
    cancelsOnLeave: target.endpoint.onDisconnect === 'cancel',
  };
}
