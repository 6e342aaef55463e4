import { createPublicKey, verify } from 'node:crypto';
import { signedApprovalProblem, signedStatement, statementText } from '@svc/core/approval/signed-approval';
import type { Endpoint } from '@svc/core/endpoint/definition';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import type { UsedApprovals } from './used-approvals.ts';

/** The data against which an agent checks approvals. */
export interface ApprovalPreconditions {
  /** The name of this agent. */
  readonly name: string;
  readonly localOnly: boolean;
  /** Endpoints with approval but without keys run on the word of the hub (decision 60, the file is a floor). */
  readonly acceptsApprovalsOfHub: boolean;
  readonly usedApprovals: Pick<UsedApprovals, 'take'>;
  readonly nowMs: () => number;
}

/** Why an order may not run without another approval; undefined if it may. */
export function approvalProblem(
  order: ExecutionOrder,
  endpoint: Endpoint,
  context: ApprovalPreconditions,
): string | undefined {
  const { slug, approvalRequired, approverKeys } = endpoint;
  if (!approvalRequired) return undefined;
  if (approverKeys !== undefined) {
    const problem = signatureProblem(order, endpoint, approverKeys, context);
    return problem && `"${slug}" runs only with a signed approval (svc approvals approve ID): ${problem}`;
  }
  if (!context.localOnly || context.acceptsApprovalsOfHub) return undefined;
  return (
    `"${slug}" needs an approval that this agent can check itself: list approver_keys in svc.yaml ` +
    '(svc approvals key makes one), or start the agent with --accept-approvals-of-hub'
  );
}

/** Marks the approval of an order as used. Returns undefined if it is now used or none is needed. */
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
  { approval, execution_id: executionId, hash, args, files = [] }: ExecutionOrder,
  { slug, agentName }: Endpoint,
  keys: readonly string[],
  { name, nowMs }: ApprovalPreconditions,
): string | undefined {
  if (approval === undefined) return 'the order has none';
  const problem = signedApprovalProblem(approval, keys, nowMs());
  if (problem !== undefined) return problem;
  if (approval.agent !== name && approval.agent !== agentName)
    return `it is for the agent "${approval.agent}"`;
  const statement = signedStatement(approval, { executionId, slug, definitionHash: hash, args, files });
  return isSigned(statementText(statement), approval)
    ? undefined
    : 'its signature does not match this execution, its values and its files';
}

function isSigned(text: string, { key, signature }: NonNullable<ExecutionOrder['approval']>): boolean {
  const x = key.slice(key.indexOf(':') + 1);
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    // The 32 bytes are not a valid key.
    return false;
  }
}
