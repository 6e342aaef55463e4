import { ROUTES } from '@svc/core/api/routes';
import type { HubContext } from '../context.ts';
import type { Handlers } from '../routes/handler.ts';
import { watchMember } from '../routes/watch-member.ts';
import { newsStream } from './news-stream.ts';

/** What happens in a workspace, for as long as somebody looks and may. */
export function newsRoutes(context: HubContext): Pick<Handlers, 'streamNews'> {
  const { permission } = ROUTES.streamNews.access;
  return {
    streamNews({ request, acting, query }) {
      const { workspace, member } = acting;
      const listener = context.newsroom.listen({
        workspaceId: workspace.id,
        userId: member.userId,
        role: member.role,
        after: request.headers.get('last-event-id') ?? query.after,
      });
      context.keepOpen(request);
      const watch = watchMember(context, request, acting, permission);
      return newsStream({ request, listener, watch, reportBug: context.reportBug });
    },
  };
}
