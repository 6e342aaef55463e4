import type { ForwardedCall } from '@svc/core/bus/forwarded-call';
import type { BusFrameOf, CalledAs } from '@svc/core/bus/frame';
import { Refusal } from '@svc/core/refusal';
import type { CallRequest, ExecutionLedger } from '../executions/execution-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { FeedSource } from '../executions/remote/feed-source.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { commandSecrets, useOf } from '../secret-grants/order-secrets.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { type CalledHere, type CallHereDeps, callHere } from './dispatch.ts';
import type { ExecutionQueue } from './queue.ts';
import { openCall } from './sealed-call.ts';

export type AcceptForwardedDeps = CallHereDeps & { readonly secrets: Secrets } & {
  readonly lookups: Pick<CallLookups, 'workspace' | 'endpoint'>;
  readonly feeds: FeedSource;
};

const LEFT: CalledAs = { as: 'left' };
/**
 * The maximum age of a forwarded call, measured by two clocks. A record is kept for longer, so a repeated frame finds it.
 */
const MAX_AGE_MS = 10 * 60 * 1000;

/**
 * Accepts a call that another hub has checked and forwarded, because its agent is connected here. Only a hub has the key that
 * seals it. A frame that arrives twice runs once: its id has one record.
 *
 * @returns undefined where the record exists already: then the asking hub reads the record
 */
export async function acceptForwarded(
  deps: AcceptForwardedDeps,
  frame: BusFrameOf<'call'>,
  from: string,
): Promise<CalledAs | undefined> {
  const forwarded = openCall(deps.vault, frame, deps.hubId);
  if (forwarded === undefined || Math.abs(deps.clock.nowMs() - forwarded.atMs) > MAX_AGE_MS) return LEFT;
  try {
    const request = await requestOf(deps, frame, forwarded);
    if (request === undefined) return LEFT;
    const secrets = await commandSecrets(deps, useOf(request.target));
    const process = deps.agents.choose(request.target, secrets.mayHave);
    if (process === undefined) return LEFT;
    const call = { ...request, secrets, idempotency: forwarded.idempotency };
    const called = await callHere(deps, call, process, frame.executionId);
    return answerTo(deps, called, frame, from);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, details } = error;
    return { as: 'refused', code, message, details };
  }
}

/** Undefined where the names mean another workspace or endpoint here: one of the two hubs has not received a change yet. */
async function requestOf(
  { lookups }: AcceptForwardedDeps,
  { workspaceId }: BusFrameOf<'call'>,
  forwarded: ForwardedCall,
): Promise<CallRequest | undefined> {
  const workspace = await lookups.workspace(forwarded.username);
  const target = await lookups.endpoint(workspaceId, forwarded.slug);
  const isSame =
    workspace?.id === workspaceId &&
    target?.id === forwarded.endpointId &&
    target.version === forwarded.endpointVersion &&
    target.definitionHash === forwarded.definitionHash;
  if (!isSame) return undefined;
  const { method, trigger, callerKind, callerId, asynchronous, readTokenHash } = forwarded;
  return {
    ...{ workspace, target, method, values: new Map(forwarded.values), trigger, callerKind, callerId },
    ...{ asynchronous, readTokenHash, from: undefined, idempotencyKey: forwarded.idempotency?.key },
  };
}

function answerTo(
  { feeds }: AcceptForwardedDeps,
  called: CalledHere,
  { feed }: BusFrameOf<'call'>,
  from: string,
): CalledAs | undefined {
  switch (called.kind) {
    case 'running': {
      const { live } = called.running;
      return feed === undefined ? { as: 'running' } : { as: 'running', fed: feeds.open(live, feed, from) };
    }
    case 'repeated':
      return { as: 'repeated', executionId: called.executionId, requestHash: called.requestHash };
    case 'known':
      return undefined;
  }
}

interface ClaimDeps {
  readonly ledger: Pick<ExecutionLedger, 'find'>;
  readonly queue: ExecutionQueue;
  readonly executions: RunningExecutions;
  readonly feeds: FeedSource;
}

/**
 * Dispatches an execution that another hub has stored for a caller who waits at that hub. The frame alone proves nothing: only an
 * execution that is stored as queued is dispatched, once, as any other.
 */
export async function acceptClaim(
  { ledger, queue, executions, feeds }: ClaimDeps,
  { executionId, feed }: BusFrameOf<'take'>,
  from: string,
): Promise<BusFrameOf<'taken'>> {
  const execution = await ledger.find(executionId);
  if (execution?.state !== 'queued') return { type: 'taken', as: 'not_queued' };
  const as = await queue.claim(execution);
  const live = executions.find(executionId)?.live;
  if (as !== 'begun' || feed === undefined || live === undefined) return { type: 'taken', as };
  return { type: 'taken', as, fed: feeds.open(live, feed, from) };
}
