import type { BusFrameOf, CalledAs } from '@svc/core/bus/frame';
import type { ForwardedCall } from '@svc/core/bus/handed-call';
import { Refusal } from '@svc/core/refusal';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import type { FeedSource } from '../executions/remote/feed-source.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { commandSecrets, useOf } from '../secret-grants/order-secrets.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { type CalledHere, type CallHerePorts, callHere } from './call-here.ts';
import { openCall } from './sealed-call.ts';

export type AcceptForwardedPorts = CallHerePorts & { readonly secrets: Secrets } & {
  readonly lookups: Pick<CallLookups, 'workspace' | 'endpoint'>;
  readonly feeds: FeedSource;
};

const LEFT: CalledAs = { as: 'left' };
/** By two clocks. A record is kept for longer, so what somebody says again finds that it is there. */
const FRESH_MS = 10 * 60 * 1000;

/**
 * Another hub has checked a call, of whom and of what, and gives it to this one, which has the agent. It is believed: only a hub
 * has the key that sealed it. One that comes twice runs once, since there is one record of its id.
 *
 * @returns undefined: it is on record already, and that is the answer
 */
export async function acceptForwarded(
  ports: AcceptForwardedPorts,
  frame: BusFrameOf<'call'>,
  from: string,
): Promise<CalledAs | undefined> {
  const handed = openCall(ports.vault, frame, ports.hubId);
  if (handed === undefined || Math.abs(ports.clock.nowMs() - handed.atMs) > FRESH_MS) return LEFT;
  try {
    const call = await callOf(ports, frame, handed);
    if (call === undefined) return LEFT;
    const secrets = await commandSecrets(ports, useOf(call.target));
    const process = ports.agents.choose(call.target, secrets.mayHave);
    if (process === undefined) return LEFT;
    const { executionId } = frame;
    const called = await callHere(ports, call, {
      process,
      secrets,
      idempotency: handed.idempotency,
      executionId,
    });
    return answerTo(ports, called, frame, from);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, details } = error;
    return { as: 'refused', code, message, details };
  }
}

/** Undefined where this hub knows another workspace or endpoint by these names, or none: one of the two is yet to hear of a change. */
async function callOf(
  { lookups }: AcceptForwardedPorts,
  { workspaceId }: BusFrameOf<'call'>,
  handed: ForwardedCall,
): Promise<EndpointCall | undefined> {
  const workspace = await lookups.workspace(handed.username);
  const target = await lookups.endpoint(workspaceId, handed.slug);
  const isSame =
    workspace?.id === workspaceId &&
    target?.id === handed.endpointId &&
    target.version === handed.endpointVersion &&
    target.definitionHash === handed.definitionHash;
  if (!isSame) return undefined;
  const { method, trigger, callerKind, callerId, asynchronous, readTokenHash } = handed;
  return {
    ...{ workspace, target, method, values: new Map(handed.values), trigger, callerKind, callerId },
    ...{ asynchronous, readTokenHash, from: undefined, idempotencyKey: handed.idempotency?.key },
  };
}

function answerTo(
  { feeds }: AcceptForwardedPorts,
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
