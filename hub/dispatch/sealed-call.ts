import { decodeForwardedCall, encodeForwardedCall, type ForwardedCall } from '@svc/core/bus/forwarded-call';
import type { BusFrameOf } from '@svc/core/bus/frame';
import type { Clock, SealedFor, Vault } from '../platform/world.ts';
import type { CheckedCall } from './checked-call.ts';

type CallFrame = BusFrameOf<'call'>;

/** A sealed text is a third longer than its bytes, and a frame has room for twice as much. */
const MAX_BYTES = 128 * 1024;

/**
 * Undefined for a call that has to be stored first: its workspace has no name yet, the call is too long, or it has a
 * `callback_url`, which a hub of an earlier version would drop.
 */
export function sealCall(
  { vault, clock }: { readonly vault: Vault; readonly clock: Clock },
  call: CheckedCall,
  to: Recipient,
): CallFrame | undefined {
  const { target, trigger } = call;
  const { username } = call.workspace;
  if (username === undefined || (trigger !== 'call' && trigger !== 'dashboard')) return undefined;
  if (call.callbackUrl !== undefined) return undefined;
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
    idempotency: call.idempotency,
  });
  if (Buffer.byteLength(json) > MAX_BYTES) return undefined;
  const { workspaceId } = target;
  const { executionId } = to;
  return { type: 'call', executionId, workspaceId, sealed: vault.seal(json, ownerOf(workspaceId, to)) };
}

/** Undefined for a text that no hub has sealed for this one, or that a hub of another version has sealed. */
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

/** The id of the execution, and the hub that may open the call. */
interface Recipient {
  readonly executionId: string;
  readonly hubId: string;
}

function ownerOf(workspaceId: string, { executionId, hubId }: Recipient): SealedFor {
  return { workspaceId, kind: 'handed_call', id: `${executionId} ${hubId}` };
}
