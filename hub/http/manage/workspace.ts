import { deleteWorkspace } from '../../engine/workspace/delete-workspace.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import { reply } from '../routes/reply.ts';
import { endedSessionCookie } from '../routes/session-cookie.ts';

/** The end of a workspace; the rows go when it has been answered. */
export function workspaceDeletionRoutes(context: HubContext): Pick<Handlers, 'deleteWorkspace'> {
  return {
    async deleteWorkspace({ request, acting: { workspace, member }, body: { username: confirmed } }) {
      const by = sourceOf(context, request, member);
      await deleteWorkspace(context, { workspace, confirmed, by });
      context.removals.goOn().catch(context.reportBug);
      return reply(204, undefined, { 'Set-Cookie': endedSessionCookie(context.settings.hubUrl) });
    },
  };
}
