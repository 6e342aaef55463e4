import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { usernameProblem } from '@svc/core/workspace/username';
import type { Clock } from '../platform/world.ts';
import type { Usernames } from './store/username-store.ts';

/** Sets the first username of a workspace, which is part of its URLs (reference 1, decision 3, usernames). */
export async function chooseUsername(
  { usernames, clock }: { readonly usernames: Pick<Usernames, 'choose'>; readonly clock: Clock },
  workspaceId: string,
  username: string,
  by: AuditSource,
): Promise<void> {
  refuseUnfitUsername(username);
  const entry = {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'workspace.username_chosen',
    target: { kind: 'workspace', id: workspaceId, name: username },
    details: {},
  } as const;
  switch (await usernames.choose(workspaceId, username, entry)) {
    case 'taken':
      throw refuse('username_taken', `"${username}" is taken`);
    case 'chosen_already':
      throw refuse('username_chosen', 'the username was chosen already, and is part of URLs');
    case 'stored':
      return;
  }
}

/** Refuses a name that no workspace can have, with `invalid_argument` or `username_taken`. */
export function refuseUnfitUsername(username: string): void {
  const problem = usernameProblem(username);
  if (problem === 'reserved') throw refuse('username_taken', `"${username}" is reserved`);
  if (problem === 'malformed') {
    const accepted = '2 to 39 lower-case letters, digits and "-", with no "-" at the ends';
    throw refuse('invalid_argument', `username: ${accepted} expected`);
  }
}
