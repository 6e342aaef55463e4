import { askPasskey } from '../account/ask-passkey.ts';
import { api } from '../api/client.ts';

/** Asks the hub for a challenge and the person for a passkey. Throws an error for people. */
export async function confirmWithPasskey(approvalId: string) {
  return await askPasskey(await api.beginApprovalPasskey({ parameters: { id: approvalId } }));
}
