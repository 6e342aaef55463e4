import { may, type Permission, type Role } from '@svc/core/workspace/permissions';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type Answer, read } from '../api/read.ts';

/** Who is signed in, and the workspace that is looked at. The frame has read it before any page is shown. */
export function useAccount(): Answer<'showWorkspace'> {
  return useSuspenseQuery(read('showWorkspace')).data;
}

/** Whether the person may do something, and if not, the reason in words: what may not be done is shown, disabled. */
export function useMay(
  permission: Permission,
): { readonly ok: true } | { readonly ok: false; readonly reason: string } {
  const { role } = useAccount();
  return may(role, permission) ? { ok: true } : { ok: false, reason: reasonOf(role, permission) };
}

const WHO: readonly { readonly roles: readonly Role[]; readonly words: string }[] = [
  { roles: ['admin'], words: 'the owner and admins' },
  { roles: ['owner'], words: 'the owner' },
];

/** "Your role is member: only the owner and admins may do this". */
function reasonOf(role: Role, permission: Permission): string {
  const who = WHO.find(({ roles }) => roles.some((one) => may(one, permission)))?.words ?? 'nobody';
  return `Your role here is ${role}: only ${who} may do this.`;
}
