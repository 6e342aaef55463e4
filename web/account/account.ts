import { may, type Permission, type Role } from '@svc/core/workspace/permissions';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type Answer, read } from '../api/read.ts';
import { hasChosenWorkspace, reloadInWorkspace } from './chosen-workspace.ts';

/** The signed-in person and the selected workspace. The frame loads both before it shows a page. */
export function useAccount(): Answer<'showWorkspace'> {
  return useSuspenseQuery(read('showWorkspace')).data;
}

/** Whether the person has a permission, and the reason if not: pages show a forbidden action disabled, with this reason. */
export function useMay(
  permission: Permission,
): { readonly ok: true } | { readonly ok: false; readonly reason: string } {
  const { role } = useAccount();
  return may(role, permission) ? { ok: true } : { ok: false, reason: reasonOf(role, permission) };
}

/**
 * Selects the team, or another own workspace, of a person who has never used their first one: that one has no username, and this
 * tab has no selection. Without a username the own workspace is empty.
 */
export function chooseTeamByDefault(account: Answer<'showWorkspace'> | undefined): void {
  if (account === undefined || account.username !== null || hasChosenWorkspace()) return;
  const team = account.workspaces.find(({ username }) => username !== null);
  if (!team?.username) return;
  reloadInWorkspace(team.username);
}

const WHO: readonly { readonly roles: readonly Role[]; readonly words: string }[] = [
  { roles: ['member'], words: 'the owner, admins and members' },
  { roles: ['admin'], words: 'the owner and admins' },
  { roles: ['owner'], words: 'the owner' },
];

/** "Your role is member. Only the owner and admins can do this." */
function reasonOf(role: Role, permission: Permission): string {
  const who = WHO.find(({ roles }) => roles.some((one) => may(one, permission)))?.words ?? 'no role';
  return `Your role is ${role}. Only ${who} can do this.`;
}
