import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { decideUsernameChange, type OldUrls } from '@svc/core/workspace/username';
import type { Clock } from '../platform/world.ts';
import { refuseUnfitUsername } from './choose-username.ts';
import type { OpenStreams } from './open-streams.ts';
import type { Accounts } from './store/account-store.ts';
import type { Usernames } from './store/username-store.ts';

type UsernameDeps = {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly usernames: Usernames;
};

interface WantedUsername {
  readonly workspaceId: string;
  readonly username: string;
  /** What URLs with the old username answer. */
  readonly oldUrls: OldUrls;
}

/**
 * Gives a workspace another username (decision 102, change of username). When this returns, every
 * reachable hub uses the new name. Returns the old username.
 */
export async function changeUsername(
  deps: UsernameDeps,
  { workspaceId, username, oldUrls }: WantedUsername,
  by: AuditSource,
): Promise<string> {
  refuseUnfitUsername(username);
  for (;;) {
    // The workspace of the request comes from a cache, which may be stale.
    const workspace = await deps.accounts.workspaceById(workspaceId);
    if (workspace === undefined) throw refuse('not_found', 'the workspace was deleted meanwhile');
    const { from, former } = decideUsernameChange(workspace, username);
    const outcome = await deps.usernames.change(
      { workspace, from, to: username, former, oldUrls },
      {
        ...by,
        workspaceId,
        atMs: deps.clock.nowMs(),
        action: 'workspace.username_changed',
        target: { kind: 'workspace', id: workspaceId, name: username },
        details: { from, to: username, old_urls: oldUrls },
      },
    );
    if (outcome === 'taken') throw refuse('username_taken', `"${username}" is taken`);
    if (outcome === 'changed') continue;
    await deps.openStreams.recheck();
    return from;
  }
}

/** Changes what URLs with a former username answer, at every reachable hub when this returns. */
export async function changeOldUrls(
  { clock, openStreams, usernames }: Omit<UsernameDeps, 'accounts'>,
  { workspaceId, username, oldUrls }: WantedUsername,
  by: AuditSource,
): Promise<void> {
  const entry = {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'workspace.old_urls_changed',
    target: { kind: 'workspace', id: workspaceId, name: username },
    details: { username, old_urls: oldUrls },
  } as const;
  if (!(await usernames.setOldUrls(workspaceId, { username, oldUrls }, entry)))
    throw refuse('not_found', 'this is no former username of the workspace');
  await openStreams.recheck();
}
