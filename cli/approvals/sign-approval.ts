import { SIGNED_FOR_MS, type SignedApproval } from '@svc/core/approval/signed-approval';
import { visibleText } from '@svc/core/text/visible-text';
import { Failure } from '../failure.ts';
import type { FactRow } from '../terminal.ts';
import { ApprovalKey } from './approval-key.ts';
import type { ShownApproval } from './approval-rows.ts';

/**
 * The signed statement. The agent compares it with what it would run, whatever the service shows (decision 60, the file is
 * a floor).
 */
export function signedRows({ to_sign: toSign, endpoint }: ShownApproval): FactRow[] {
  if (toSign === null) return [];
  const values = Object.entries(toSign.args).map(([name, value]) => `${name}=${visibleText(value)}`);
  const what = `"${endpoint}" as defined in svc.yaml of agent "${visibleText(toSign.agent)}"`;
  return [{ label: 'you sign', text: `${what}, with ${values.join(', ') || 'no values'}` }];
}

/** The signature for an approval; undefined: none is needed. */
export function signApproval(approval: ShownApproval): SignedApproval | undefined {
  const { to_sign: toSign, endpoint: slug, execution_id: executionId } = approval;
  if (toSign === null) return undefined;
  const key = ApprovalKey.read(process.env);
  if (!toSign.keys.includes(key.publicKey))
    throw new Failure(`"${slug}" does not list your key in approver_keys: ${key.publicKey}`);
  return key.sign({
    executionId,
    slug,
    definitionHash: toSign.definition_hash,
    args: toSign.args,
    agent: toSign.agent,
    requestedBy: toSign.requested_by,
    validUntilMs: Date.now() + SIGNED_FOR_MS,
  });
}
