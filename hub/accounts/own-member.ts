import type { Member, Workspace } from './account-ports.ts';
import type { Accounts } from './store/account-store.ts';

/** The user as the owner of their own workspace. */
export interface OwnMembership {
  readonly workspace: Workspace;
  readonly member: Member;
}

export async function ownMembership(
  { accounts }: { readonly accounts: Accounts },
  userId: string,
): Promise<OwnMembership> {
  const all = await accounts.workspacesOf(userId);
  const workspace = all.find((one) => one.workspace.ownerId === userId)?.workspace;
  const member = workspace && (await accounts.member(workspace.id, userId));
  if (workspace === undefined || member === undefined) throw new Error(`user ${userId} owns no workspace`);
  return { workspace, member };
}
