import { readSignatures, type Signature } from '@svc/core/pipeline/webhook/signatures';
import { type FoundPipeline, limitRate, unauthorized } from '../../calls/access.ts';

import type { CallLookups } from '../../lookups/caches.ts';
import type { RateLimiter } from '../../platform/rate-limiter.ts';
import type { Settings } from '../../platform/settings.ts';
import type { Clock, Vault } from '../../platform/world.ts';
import type { Secrets } from '../../secrets/store/secret-store.ts';
import { signingSecret } from '../webhook-secret.ts';
import { validSignature } from './check-webhook-signature.ts';

export interface ProvenSignatureDeps {
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly lookups: CallLookups;
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly vault: Vault;
}

/**
 * The signature by which a call proves that it comes from who has the secret of the trigger; nothing of it is on record before.
 *
 * @throws `unauthorized`; `rate_limited` for an address that has tried too often
 */
export async function provenSignature(
  deps: ProvenSignatureDeps,
  request: Request,
  { target, workspace }: FoundPipeline,
  body: Uint8Array,
): Promise<Signature> {
  const signatures = readSignatures(request.headers);
  const secret = signatures.length === 0 ? undefined : await signingSecret(deps, target);
  const isThere = secret?.kind === 'secret' && secret.value !== '';
  const valid = isThere ? validSignature(signatures, secret.value, body, deps.clock.nowMs()) : undefined;
  if (valid !== undefined) return valid;
  limitRate(deps, 'address', workspace.plan, request);
  throw unauthorized();
}
