import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type GitHubSignature,
  isTimely,
  readSignatures,
  type Signature,
  type StandardSignature,
} from '@svc/core/pipeline/webhook/signatures';
import { type FoundPipeline, limitRate, unauthorized } from '../../calls/access.ts';
import type { CallLookups } from '../../lookups/caches.ts';
import type { RateLimiter } from '../../platform/rate-limiter.ts';
import type { Settings } from '../../platform/settings.ts';
import type { Clock, Vault } from '../../platform/world.ts';
import type { Secrets } from '../../secrets/store/secret-store.ts';
import { signingSecret } from '../webhook-secret.ts';

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The first signature that the secret made of exactly these bytes; undefined: none.
 *
 * NOTE: `body` contains the received bytes. A body that was parsed and serialized again has other bytes.
 */
export function validSignature(
  signatures: readonly Signature[],
  secret: string,
  body: Uint8Array,
  nowMs: number,
): Signature | undefined {
  return signatures.find((signature) =>
    signature.kind === 'github'
      ? isGitHubs(signature, secret, body)
      : isTimely(signature, nowMs) && isStandard(signature, secret, body),
  );
}

function isGitHubs({ hex }: GitHubSignature, secret: string, body: Uint8Array): boolean {
  const mac = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(mac, Buffer.from(hex, 'hex'));
}

function isStandard({ id, timestamp, signatures }: StandardSignature, secret: string, body: Uint8Array) {
  return keysOf(secret).some((key) => {
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
    return signatures.some((signature) => isEqual(mac, Buffer.from(signature, 'base64')));
  });
}

/** The length of a signature reveals nothing about the secret. */
function isEqual(mac: Buffer, given: Buffer): boolean {
  return mac.length === given.length && timingSafeEqual(mac, given);
}

/**
 * The bytes of a secret. Standard Webhooks writes them in base64 after `whsec_`; some senders omit the prefix, or use the
 * text itself.
 */
function keysOf(secret: string): (Buffer | string)[] {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const isEncoded = encoded !== '' && BASE64.test(encoded);
  return isEncoded ? [Buffer.from(encoded, 'base64'), secret] : [secret];
}

interface ProvenSignatureDeps {
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly lookups: CallLookups;
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly vault: Vault;
}

/**
 * Checks the signature that proves that the sender of a call has the secret of the trigger. Nothing is stored before.
 *
 * @throws `unauthorized`; `rate_limited` for an address with too many attempts
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
