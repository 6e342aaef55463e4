import { WEBHOOK_HEADERS } from '@svc/core/pipeline/webhook/signatures';
import { sealJson } from '../../platform/vault/sealed-json.ts';
import type { SealedFor, Vault } from '../../platform/world.ts';
import type { RegisteredPipeline } from '../pipeline-ports.ts';
import type { PipelineRun } from '../runs/run-ports.ts';

/** The headers that describe the signature and the event. */
const KEPT = ['content-type', 'user-agent', 'webhook-timestamp', 'x-github-event', ...WEBHOOK_HEADERS];

/** A signed request as received. */
export interface KeptRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body, so that its signature can be verified again. */
  readonly body: string;
}

/** The stored form of a webhook request, kept as long as its run. It is sealed, because senders put secrets into requests. */
export function sealedRequest(
  vault: Vault,
  { id, workspaceId }: Pick<RegisteredPipeline, 'id' | 'workspaceId'>,
  { headers, bytes }: { readonly headers: Headers; readonly bytes: Uint8Array },
): string {
  const kept = KEPT.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  // A byte order mark is part of the signed bytes. A body that is not UTF-8 was refused before.
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const request: KeptRequest = { headers: Object.fromEntries(kept), body };
  return sealJson(vault, request, ownerOf(id, workspaceId));
}

export function openRequest(
  vault: Vault,
  { pipelineId, workspaceId }: Pick<PipelineRun, 'pipelineId' | 'workspaceId'>,
  sealed: string,
): KeptRequest {
  return JSON.parse(vault.open(sealed, ownerOf(pipelineId, workspaceId))) as KeptRequest;
}

function ownerOf(pipelineId: string, workspaceId: string): SealedFor {
  return { workspaceId, kind: 'run_request', id: pipelineId };
}
