import { readSignatures, type Signature } from '@svc/core/pipeline/webhook/signatures';
import { signingSecret } from '../../engine/pipeline/definition/signing-secret.ts';
import { type FoundPipeline, limitRate, unauthorized } from '../call/access.ts';
import type { HubContext } from '../context.ts';
import { validSignature } from './check-signature.ts';

/**
 * The signature by which a call proves that it comes from who has the secret of the trigger; nothing of it is on record before.
 *
 * @throws `unauthorized`; `rate_limited` for an address that has tried too often
 */
export async function provenSignature(
  context: HubContext,
  request: Request,
  { target, workspace }: FoundPipeline,
  body: Uint8Array,
): Promise<Signature> {
  const signatures = readSignatures(request.headers);
  const secret = signatures.length === 0 ? undefined : await signingSecret(context, target);
  const isThere = secret?.kind === 'secret' && secret.value !== '';
  const valid = isThere ? validSignature(signatures, secret.value, body, context.clock.nowMs()) : undefined;
  if (valid !== undefined) return valid;
  limitRate(context, 'address', workspace.plan, request);
  throw unauthorized();
}
