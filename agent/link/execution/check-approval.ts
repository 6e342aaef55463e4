import { createPublicKey, verify } from 'node:crypto';
import { signedApprovalProblem, signedStatement, statementText } from '@svc/core/approval/signed-approval';
import type { Endpoint } from '@svc/core/endpoint/definition';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import type { UsedApprovals } from './used-approvals.ts';

/** What an agent checks approvals by. */
export interface ApprovalPreconditions {
  /** Its own name. */
  readonly name: string;
  readonly localOnly: boolean;
  /** Gated endpoints without keys run with an approval that only the hub has seen (decision 60). */
  readonly acceptsApprovalsOfHub: boolean;
  readonly usedApprovals: Pick<UsedApprovals, 'take'>;
  readonly nowMs: () => number;
}

/** Why an order of an endpoint of the agent's own file may not run without another approval; undefined: it may. */
export function approvalProblem(
  order: ExecutionOrder,
  endpoint: Endpoint,
  premises: ApprovalPreconditions,
): string | undefined {
  const { slug, approvalRequired, approverKeys } = endpoint;
  if (!approvalRequired) return undefined;
  if (approverKeys !== undefined) {
    const problem = signatureProblem(order, endpoint, approverKeys, premises);
    return problem && `"${slug}" runs only with a signed approval (svc approvals approve ID): ${problem}`;
  }
  if (!premises.localOnly || premises.acceptsApprovalsOfHub) return undefined;
  return (
    `"${slug}" needs an approval that this agent can check itself: list approver_keys in svc.yaml ` +
    '(svc approvals key makes one), or start the agent with --accept-approvals-of-hub'
  );
}

/** Uses the approval of an order, once; undefined: it is used now, or none is needed. */
export function useApproval(
  order: ExecutionOrder,
  { slug, approvalRequired, approverKeys }: Endpoint,
  { usedApprovals }: ApprovalPreconditions,
): string | undefined {
  if (!approvalRequired || approverKeys === undefined) return undefined;
  return usedApprovals.take(order.execution_id)
    ? undefined
    : `the approval of this "${slug}" was used before`;
}

function signatureProblem(
  { approval, execution_id: executionId, hash, args }: ExecutionOrder,
  { slug, agentName }: Endpoint,
  keys: readonly string[],
  { name, nowMs }: ApprovalPreconditions,
): string | undefined {
  if (approval === undefined) return 'the order has none';
  const problem = signedApprovalProblem(approval, keys, nowMs());
  if (problem !== undefined) return problem;
  if (approval.agent !== name && approval.agent !== agentName)
    return `it is for the agent "${approval.agent}"`;
  const statement = signedStatement(approval, { executionId, slug, definitionHash: hash, args });
  return isSigned(statementText(statement), approval)
    ? undefined
    : 'its signature does not match this execution and its values';
}

function isSigned(text: string, { key, signature }: NonNullable<ExecutionOrder['approval']>): boolean {
  const x = key.slice(key.indexOf(':') + 1);
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    // 32 bytes that are no key.
    return false;
  }
}
