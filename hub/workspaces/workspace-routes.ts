import type { OpenStreams } from '../accounts/open-streams.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { endedSessionCookie } from '../http/session-cookie.ts';
import { reply } from '../platform/http/reply.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import type { WorkspaceRemovals } from '../retention/delete-workspace.ts';
import { deleteWorkspace } from '../retention/delete-workspace.ts';
import type { WorkspaceRemoval } from '../retention/store/workspace-removal.ts';

export interface WorkspaceRoutesDeps {
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly openStreams: OpenStreams;
  readonly removals: WorkspaceRemovals;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
  readonly workspaceRemoval: WorkspaceRemoval;
}

/** Deletes a workspace. Its rows are removed after the response. */
export function workspaceDeletionRoutes(deps: WorkspaceRoutesDeps): Pick<Handlers, 'deleteWorkspace'> {
  return {
    async deleteWorkspace({ request, acting: { workspace, member }, body: { username: confirmed } }) {
      const by = sourceOf(deps, request, member);
      await deleteWorkspace(deps, { workspace, confirmed, by });
      deps.removals.resume().catch(deps.reportBug);
      return reply(204, undefined, { 'Set-Cookie': endedSessionCookie(deps.settings.hubUrl) });
    },
  };
}
