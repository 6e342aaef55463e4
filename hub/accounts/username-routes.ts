import { refuse } from '@svc/core/refusal';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { time } from '../platform/http/json-response.ts';
import type { Clock } from '../platform/world.ts';
import { changeOldUrls, changeUsername } from './change-username.ts';
import { chooseUsername } from './choose-username.ts';
import type { OpenStreams } from './open-streams.ts';
import type { Accounts } from './store/account-store.ts';
import type { Usernames } from './store/username-store.ts';

interface UsernameRoutesDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly openStreams: OpenStreams;
  readonly usernames: Usernames;
}

type Routes = Pick<Handlers, 'chooseUsername' | 'showUsername' | 'changeUsername' | 'changeOldUrls'>;

/** The username of a workspace, and its former ones (decision 3, usernames; decision 102, change of username). */
export function usernameRoutes(deps: UsernameRoutesDeps): Routes {
  const shown = async (workspaceId: string) => {
    const workspace = await deps.accounts.workspaceById(workspaceId);
    if (workspace === undefined) throw refuse('not_found', 'the workspace was deleted meanwhile');
    const former = await deps.usernames.formerOf(workspaceId);
    return {
      username: workspace.username ?? null,
      former: former.map(({ username, oldUrls, retiredAtMs }) => ({
        username,
        old_urls: oldUrls,
        until: time(retiredAtMs),
      })),
    };
  };
  return {
    async chooseUsername({ request, body: { username }, acting: { member, workspace } }) {
      await chooseUsername(deps, workspace.id, username, sourceOf(deps, request, member));
      return { username };
    },
    showUsername: ({ acting: { workspace } }) => shown(workspace.id),
    async changeUsername({ request, body, acting: { member, workspace } }) {
      const wanted = { workspaceId: workspace.id, username: body.username, oldUrls: body.old_urls };
      await changeUsername(deps, wanted, sourceOf(deps, request, member));
      return shown(workspace.id);
    },
    async changeOldUrls({ request, body, parameters: { username }, acting: { member, workspace } }) {
      const wanted = { workspaceId: workspace.id, username, oldUrls: body.old_urls };
      await changeOldUrls(deps, wanted, sourceOf(deps, request, member));
      return shown(workspace.id);
    },
  };
}
