import { answerFormat } from '@svc/core/api/answer-format';
import { readBodyBytes } from '@svc/core/api/call-values';
import { readPrefer } from '@svc/core/api/prefer';
import { accessToCall, type Caller } from '@svc/core/execution/access';
import {
  deliveryKeys,
  hasSignature,
  isFromSender,
  type Signature,
} from '@svc/core/pipeline/webhook/signatures';
import { refuse } from '@svc/core/refusal';
import { hashToken } from '../../engine/account/hash-token.ts';
import { identify } from '../../engine/account/identify.ts';
import { refuseUsedUp } from '../../engine/execution/quota-claim.ts';
import { startRun } from '../../engine/pipeline/start-run.ts';
import type { RunStarted } from '../../engine/pipeline/store-run.ts';
import type { RunFacts } from '../../engine/ports/pipeline-runs.ts';
import type { HubContext } from '../context.ts';
import { answerRun, type RunAnswerOptions } from '../pipeline-run/answer-run.ts';
import { answerRepeatedRun } from '../pipeline-run/repeated-run.ts';
import { watchCaller } from '../routes/watch-caller.ts';
import { sealedRequest } from '../webhook/kept-request.ts';
import { provenSignature } from '../webhook/proven-signature.ts';
import { readInput } from '../webhook/read-input.ts';
import { credentialOf, runClaims } from '../webhook/run-claims.ts';
import { callableOf, type FoundPipeline, isToBeSigned, limitRate, refuseStrangers } from './access.ts';
import { tokenOf } from './credential.ts';
import { idempotencyKey, keyIn, newReadToken } from './request-parts.ts';
import { resumeCall } from './resume-call.ts';

type Found = FoundPipeline & { readonly caller: Caller };

/** Who calls, as the run has it on record; one whose signature was valid needs no key. */
type Origin = Pick<RunFacts, 'callerKind' | 'callerId'>;

/** A call of a pipeline: who may, what it brings, and one run for it (decision 43). */
export async function callPipeline(context: HubContext, request: Request, found: Found): Promise<Response> {
  const { caller, target, workspace } = found;
  const { method, headers } = request;
  const toBeSigned = isToBeSigned(target);
  const isKnown = accessToCall(caller, callableOf(found)) === 'allowed';
  if (isKnown) {
    limitRate(context, caller.kind === 'anonymous' ? 'address' : caller, workspace.plan, request);
    refuseMethod(target.pipeline.slug, method);
  } else if (!toBeSigned || method !== 'POST' || !hasSignature(headers)) refuseStrangers(caller, found);
  const lastEventId = headers.get('last-event-id');
  if (lastEventId !== null) return await resumeCall(context, request, caller, lastEventId);
  const bytes = await readBodyBytes(request);
  const signature = toBeSigned ? await provenSignature(context, request, found, bytes) : undefined;
  if (!isKnown) limitRate(context, { signedFor: target.id }, workspace.plan, request);
  const origin = isKnown && caller.kind !== 'anonymous' ? caller : undefined;
  return await begin(context, request, {
    ...found,
    bytes,
    signature,
    origin:
      origin === undefined
        ? { callerKind: signature === undefined ? 'anonymous' : 'signature', callerId: undefined }
        : { callerKind: origin.kind, callerId: origin.id },
  });
}

/** HEAD and OPTIONS never execute; nor does a GET, which links and browsers send by themselves (decision 11). */
function refuseMethod(slug: string, method: string): void {
  if (method === 'POST') return;
  throw refuse('method_not_allowed', `${method} does not start "${slug}": use POST`, { allow: 'POST' });
}

interface Call extends Found {
  readonly bytes: Uint8Array;
  readonly signature: Signature | undefined;
  readonly origin: Origin;
}

async function begin(context: HubContext, request: Request, call: Call): Promise<Response> {
  const { target, workspace, bytes, signature, origin } = call;
  const { trigger } = target.pipeline;
  const body = { headers: request.headers, bytes, isSigned: signature !== undefined };
  const input = readInput(trigger, body);
  await refuseUsedUp(context, workspace);
  const readToken = origin.callerKind === 'anonymous' ? newReadToken(context) : undefined;
  const started: RunStarted = await startRun(context, {
    ...origin,
    workspace,
    target,
    input,
    trigger: trigger.type === 'webhook' ? 'webhook' : 'call',
    readTokenHash: readToken === undefined ? undefined : hashToken(readToken),
    withRun: {
      claims: runClaims(
        context.vault,
        target,
        { keys: keysOf(request, call), credential: credentialOf(origin), request: input },
        context.clock.nowMs(),
      ),
      sealedRequest: signature === undefined ? undefined : sealedRequest(context.vault, target, body),
    },
  });
  const options = answerOptions(context, request, call);
  return started.kind === 'started'
    ? await answerRun(context, started.run, { ...options, readToken })
    : await answerRepeatedRun(context, { ...started, pipeline: target, request: input }, options);
}

/** What the call counts by; ids of deliveries mean something to webhooks only. */
function keysOf(request: Request, { target, signature }: Call): string[] {
  const own = idempotencyKey(request);
  const keys = own === undefined ? [] : [own];
  if (target.pipeline.trigger.type !== 'webhook') return keys;
  for (const name of ['X-GitHub-Delivery', 'webhook-id']) keyIn(request.headers, name);
  return [...keys, ...deliveryKeys(request.headers, signature)];
}

function answerOptions(
  context: HubContext,
  request: Request,
  call: Call,
): Omit<RunAnswerOptions, 'readToken'> {
  const { caller, target } = call;
  const { headers } = request;
  const accept = headers.get('accept');
  const isAllowed = (again: Caller) => accessToCall(again, callableOf(call)) === 'allowed';
  return {
    request,
    prefer: readPrefer(headers.get('prefer')),
    format: answerFormat(accept),
    isFromSender: target.pipeline.trigger.type === 'webhook' && isFromSender(headers),
    isEventSource: accept === 'text/event-stream' && headers.get('cache-control') === 'no-cache',
    watch:
      call.origin.callerKind === 'signature'
        ? undefined
        : watchCaller(context, caller, () => identify(context, tokenOf(request)), isAllowed),
  };
}
