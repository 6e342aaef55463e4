import { createPublicKey, verify } from 'node:crypto';
import {
  type SignedApproval,
  signedApprovalProblem,
  signedStatement,
  statementText,
} from '@svc/core/approval/signed-approval';
import { approvedFiles } from '@svc/core/execution/received-file';
import { refuse } from '@svc/core/refusal';
import type { PendingCallRecord } from './pending-call.ts';

/**
 * Refuses an approval that its agent would refuse: the agent checks the signature again, without trust in the hub (decision 60, the
 * file is a floor).
 */
export function refuseUnsigned(
  { approval, execution, endpoint, values }: PendingCallRecord,
  signed: SignedApproval | undefined,
  nowMs: number,
): void {
  const keys = endpoint?.approverKeys;
  if (keys === undefined) return;
  const how = `"${approval.slug}" accepts only signed approvals: svc approvals approve ${approval.id}`;
  if (signed === undefined) throw refuse('forbidden', how, { reason: 'signature_needed' });
  const { id: executionId, slug, definitionHash } = execution;
  const files = approvedFiles(execution.files ?? []);
  const facts = { executionId, slug, definitionHash, args: plainValues(values), files };
  const statement = signedStatement(signed, facts);
  const problem =
    signedApprovalProblem(signed, keys, nowMs) ??
    (isSigned(statementText(statement), signed) ? undefined : 'its signature does not match this call');
  if (problem !== undefined) throw refuse('forbidden', `${how}; ${problem}`, { reason: 'bad_signature' });
}

/** An endpoint with `approver_keys` has no secret arguments, so no value is missing. */
export function plainValues(values: PendingCallRecord['values']): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? '']));
}

function isSigned(text: string, { key, signature }: SignedApproval): boolean {
  const x = key.slice(key.indexOf(':') + 1);
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
