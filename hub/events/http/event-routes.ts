import { ROUTES } from '@svc/core/api/routes';
import type { KeyUse } from '../../accounts/key-use.ts';
import type { OpenStreams } from '../../accounts/open-streams.ts';
import type { Accounts } from '../../accounts/store/account-store.ts';
import type { Credentials } from '../../accounts/store/credentials.ts';
import type { Handlers } from '../../http/handler.ts';
import { watchMember } from '../../http/watch-member.ts';
import type { CallLookups } from '../../lookups/caches.ts';
import type { Settings } from '../../platform/settings.ts';
import type { Clock } from '../../platform/world.ts';
import type { EventFeeds } from '../event-feeds.ts';
import { liveEventStream } from './event-stream.ts';

export interface EventRoutesDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly keepOpen: (request: Request) => void;
  readonly keyUse: KeyUse;
  readonly lookups: CallLookups;
  readonly eventFeeds: EventFeeds;
  readonly openStreams: OpenStreams;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
}

/** What happens in a workspace, for as long as somebody looks and may. */
export function liveEventRoutes(deps: EventRoutesDeps): Pick<Handlers, 'streamNews'> {
  const { permission } = ROUTES.streamNews.access;
  return {
    streamNews({ request, acting, query }) {
      const { workspace, member } = acting;
      const listener = deps.eventFeeds.listen({
        workspaceId: workspace.id,
        userId: member.userId,
        role: member.role,
        after: request.headers.get('last-event-id') ?? query.after,
      });
      deps.keepOpen(request);
      const watch = watchMember(deps, request, acting, permission);
      return liveEventStream({ request, listener, watch, reportBug: deps.reportBug });
    },
  };
}
