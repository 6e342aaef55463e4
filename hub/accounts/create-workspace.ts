import type { AuditSource } from '@svc/core/audit/entry';
import type { Plan } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import type { Clock, Random } from '../platform/world.ts';
import type { Workspace } from './account-ports.ts';
import { refuseUnfitUsername } from './choose-username.ts';
import type { Accounts } from './store/account-store.ts';
import type { Usernames } from './store/username-store.ts';

type CreateDeps = {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly usernames: Pick<Usernames, 'choosing'>;
} & {
  readonly defaultPlan: Plan;
  /** How many workspaces a person may own by creating them. */
  readonly maxOwnWorkspaces: number;
};

/**
 * Creates another workspace of a person, who owns it, with its username in one transaction (decision 103, several own workspaces).
 * Refuses with `username_taken`, `invalid_argument` or `limit_reached`.
 */
export async function createOwnWorkspace(
  deps: CreateDeps,
  { userId, username }: { readonly userId: string; readonly username: string },
  by: AuditSource,
): Promise<Workspace> {
  const { accounts, clock, random, usernames, defaultPlan: plan, maxOwnWorkspaces: limit } = deps;
  refuseUnfitUsername(username);
  const [id, nowMs] = [random.uuid(), clock.nowMs()];
  const entry = {
    ...by,
    workspaceId: id,
    atMs: nowMs,
    action: 'workspace.created',
    target: { kind: 'workspace', id, name: username },
    details: { plan, username },
  } as const;
  const named = usernames.choosing({ workspaceId: id, username });
  switch (await accounts.createWorkspace({ plan, nowMs, id, userId, limit }, entry, named)) {
    case 'stored':
      return { id, username, ownerId: userId, plan };
    case 'taken':
      throw refuse('username_taken', `"${username}" is taken`);
    case 'too_many':
      throw refuse(
        'limit_reached',
        `a person creates at most ${limit} workspaces on this hub (SVC_OWN_WORKSPACES)`,
      );
    default:
      throw refuse('unauthorized', 'this account was deleted');
  }
}
