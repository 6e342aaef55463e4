import { ApprovalKey } from './approval-key.ts';

/** `svc approvals key`: prints the public key of this user, and creates the key if there is none. */
export function showApprovalKey({ json }: { readonly json?: true }): void {
  const { publicKey } = ApprovalKey.readOrMake(process.env);
  process.stdout.write(`${json ? JSON.stringify({ public_key: publicKey }) : publicKey}\n`);
}
