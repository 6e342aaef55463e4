import type { BusFrameOf } from '@svc/core/bus/frame';
import { decodeForwardedCall, encodeForwardedCall, type ForwardedCall } from '@svc/core/bus/handed-call';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import type { IdempotencyClaim } from '../executions/execution-ports.ts';
import type { Clock, SealedFor, Vault } from '../platform/world.ts';

type CallFrame = BusFrameOf<'call'>;

/** What is sealed is a third longer than its bytes, and a frame has room for twice as much. */
const MOST_BYTES = 128 * 1024;

/** Undefined for a call that another hub has to find on record: its workspace has no name yet, or it is too long. */
export function sealCall(
  { vault, clock }: { readonly vault: Vault; readonly clock: Clock },
  { call, idempotency, ...to }: Handing,
): CallFrame | undefined {
  const { target, trigger } = call;
  const { username } = call.workspace;
  if (username === undefined || (trigger !== 'call' && trigger !== 'dashboard')) return undefined;
  const json = encodeForwardedCall({
    atMs: clock.nowMs(),
    username,
    slug: target.endpoint.slug,
    endpointId: target.id,
    endpointVersion: target.version,
    definitionHash: target.definitionHash,
    method: call.method,
    values: [...call.values],
    trigger,
    callerKind: call.callerKind,
    callerId: call.callerId,
    asynchronous: call.asynchronous,
    readTokenHash: call.readTokenHash,
    idempotency,
  });
  if (Buffer.byteLength(json) > MOST_BYTES) return undefined;
  const { workspaceId } = target;
  const { executionId } = to;
  return { type: 'call', executionId, workspaceId, sealed: vault.seal(json, ownerOf(workspaceId, to)) };
}

/** Undefined for what no hub has written for this one, and for what one of another version has. */
export function openCall(
  vault: Vault,
  { executionId, workspaceId, sealed }: CallFrame,
  hubId: string,
): ForwardedCall | undefined {
  try {
    return decodeForwardedCall(vault.open(sealed, ownerOf(workspaceId, { executionId, hubId })));
  } catch {
    return undefined;
  }
}

interface Handing extends To {
  readonly call: EndpointCall;
  readonly idempotency: IdempotencyClaim | undefined;
}

/** Under which id, and to which hub. */
interface To {
  readonly executionId: string;
  readonly hubId: string;
}

function ownerOf(workspaceId: string, { executionId, hubId }: To): SealedFor {
  return { workspaceId, kind: 'handed_call', id: `${executionId} ${hubId}` };
}
