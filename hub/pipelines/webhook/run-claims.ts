import { hash } from 'node:crypto';
import { canonicalJson } from '@svc/core/api/json/canonical-json';
import type { JsonValue } from '@svc/core/pipeline/reference/json-value';
import type { SealedFor, Vault } from '../../platform/world.ts';
import type { RegisteredPipeline } from '../pipeline-ports.ts';
import type { RunFacts, RunIdempotency } from '../runs/run-ports.ts';

const IDEMPOTENT_MS = 24 * 60 * 60 * 1_000;

type Claimed = Pick<RegisteredPipeline, 'id' | 'workspaceId'>;

/**
 * The idempotency claims of a pipeline call: the same request (`request` is its input, or another value that identifies it) starts
 * one run per day, however often it is sent (decision 23, idempotency).
 */
export function runClaims(
  vault: Vault,
  pipeline: Claimed,
  call: { readonly keys: readonly string[]; readonly credential: string; readonly request: JsonValue },
  nowMs: number,
): RunIdempotency[] {
  // The hash is sealed, because a short secret value could be guessed from it.
  const requestHash = vault.seal(hashOf(call.request), ownerOf(pipeline));
  const { id: pipelineId } = pipeline;
  // A sender can give the same key twice, as its own and as the id of a delivery. The second claim would find the first.
  return [...new Set(call.keys)].map((key) => ({
    pipelineId,
    credential: call.credential,
    key,
    requestHash,
    expiresAtMs: nowMs + IDEMPOTENT_MS,
  }));
}

/** The owner of an idempotency key. */
export function credentialText({ callerKind, callerId }: Pick<RunFacts, 'callerKind' | 'callerId'>): string {
  return `${callerKind}:${callerId ?? ''}`;
}

/** Whether the first call with the key had the same content; false if it was sealed under a lost master key. */
export function isSameRequest(
  vault: Vault,
  pipeline: Claimed,
  request: JsonValue,
  sealedHash: string,
): boolean {
  try {
    return vault.open(sealedHash, ownerOf(pipeline)) === hashOf(request);
  } catch {
    return false;
  }
}

function hashOf(request: JsonValue): string {
  return hash('sha256', canonicalJson(request));
}

function ownerOf({ id, workspaceId }: Claimed): SealedFor {
  return { workspaceId, kind: 'request', id };
}
