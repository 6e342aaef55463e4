import { answerFormat } from '@svc/core/api/answer-format';
import { readCallValues, refuseTooLarge } from '@svc/core/api/call-values';
import { type Preference, readPrefer } from '@svc/core/api/prefer';
import { METHODS } from '@svc/core/endpoint/definition';
import { accessToCall, type Caller } from '@svc/core/execution/access';
import { hasSignature } from '@svc/core/pipeline/webhook/signatures';
import { Refusal, refuse } from '@svc/core/refusal';
import { hashToken } from '../../engine/account/hash-token.ts';
import { identify } from '../../engine/account/identify.ts';
import { callEndpoint } from '../../engine/execution/call-endpoint.ts';
import type { RegisteredEndpoint } from '../../engine/ports/endpoints.ts';
import type { HubContext } from '../context.ts';
import { refusalResponse } from '../json-response.ts';
import { watchCaller } from '../routes/watch-caller.ts';
import { callableOf, type FoundEndpoint, findTarget, limitRate, refuseStrangers } from './access.ts';
import {
  type AnswerOptions,
  answerElsewhere,
  answerNew,
  answerQueued,
  answerRepeated,
} from './answer-call.ts';
import { heldResponse } from './answer-held.ts';
import { callPipeline } from './call-pipeline.ts';
import { tokenOf } from './credential.ts';
import { idempotencyKey, newReadToken } from './request-parts.ts';
import { resumeCall } from './resume-call.ts';

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Execution-Id, X-Run-Id, Location, Retry-After',
} as const;
const PREFLIGHT = {
  ...CORS,
  'Access-Control-Allow-Methods': METHODS.join(', '),
  'Access-Control-Allow-Headers':
    'Accept, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer, X-API-Key',
  'Access-Control-Max-Age': '86400',
} as const;

/** `/v1/{username}/{slug}`: everything that a caller can be answered (reference 4.1). */
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
  // What is signed is read before it is known who sends it: too much of it is too much wherever it goes.
  if (hasSignature(request.headers)) refuseTooLarge(request);
  const caller = await identify(context, tokenOf(request));
  const found = await findTarget(context, path.username, path.slug);
  if (found?.kind === 'pipeline') return await callPipeline(context, request, { ...found, caller });
  refuseStrangers(caller, found);
  return await callOfEndpoint(context, request, { ...found, caller, query: path.query });
}

async function callOfEndpoint(
  context: HubContext,
  request: Request,
  found: FoundEndpoint & { readonly caller: Caller; readonly query: string },
): Promise<Response> {
  const { caller, workspace, target, query } = found;
  limitRate(context, caller.kind === 'anonymous' ? 'address' : caller, workspace.plan, request);
  refuseMethod(target, request.method);
  const lastEventId = request.headers.get('last-event-id');
  if (lastEventId !== null) return resumeCall(context, request, caller, lastEventId);
  const values = await readCallValues(request, query);
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
  const isAllowed = (again: Caller) => accessToCall(again, callableOf(found)) === 'allowed';
  const watch = watchCaller(context, caller, () => identify(context, tokenOf(request)), isAllowed);
  const options = { ...answerOptions(request, target, prefer, readToken), watch };
  switch (called.kind) {
    case 'queued':
      return answerQueued(context, called.execution.id, readToken);
    case 'running':
      return answerNew(context, called.running.live, options);
    case 'elsewhere':
      return answerElsewhere(context, called, options);
    case 'repeated':
      return answerRepeated(context, called.execution, options);
  }
}

/** HEAD and OPTIONS never execute (decision 11). */
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
