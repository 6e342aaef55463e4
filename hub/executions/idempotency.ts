import { hash } from 'node:crypto';
import { requestIdentity } from '@svc/core/execution/request-identity';
import type { SealedFor, Vault } from '../platform/world.ts';
import type { CallRequest } from './call-request.ts';
import type { IdempotencyClaim } from './execution-ports.ts';

const IDEMPOTENT_MS = 24 * 60 * 60 * 1000;

/**
 * The `Idempotency-Key` of a call, for one endpoint and one credential; anonymous callers of a public URL share theirs.
 *
 * NOTE: The hash is sealed: values may be secret, and a short value could be guessed from its hash.
 */
export function idempotencyOf(vault: Vault, call: CallRequest, nowMs: number): IdempotencyClaim | undefined {
  const { idempotencyKey: key, target } = call;
  if (key === undefined) return undefined;
  return {
    endpointId: target.id,
    credential: `${call.callerKind}:${call.callerId ?? ''}`,
    key,
    requestHash: vault.seal(hashOf(call), ownerOf(call)),
    expiresAtMs: nowMs + IDEMPOTENT_MS,
  };
}

/** Whether two requests with one key are the same; a hash that was sealed with a lost master key matches none. */
export function isSameRequest(vault: Vault, call: CallRequest, sealedHash: string): boolean {
  try {
    return vault.open(sealedHash, ownerOf(call)) === hashOf(call);
  } catch {
    return false;
  }
}

function hashOf({ method, values }: CallRequest): string {
  return hash('sha256', requestIdentity(method, values));
}

function ownerOf({ workspace, target, idempotencyKey = '' }: CallRequest): SealedFor {
  return { workspaceId: workspace.id, kind: 'request', id: `${target.id} ${idempotencyKey}` };
}
