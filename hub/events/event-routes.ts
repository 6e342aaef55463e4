import { ROUTES } from '@svc/core/api/routes';
import { KEEP_ALIVE } from '@svc/core/execution/sse';
import { LIMITS } from '@svc/core/plan/limits';
import type { KeyUse } from '../accounts/identify.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Handlers } from '../http/handler.ts';
import { EVENT_STREAM_HEADERS } from '../http/sse-response.ts';
import { type Watch, watchMember } from '../http/watch-caller.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Grants } from '../oauth/store/grant-store.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import type { ServiceAccounts } from '../service-accounts/store/service-account-store.ts';
import type { EventFeeds } from './event-feeds.ts';
import type { FeedListener } from './workspace-feed.ts';

interface EventRoutesDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly grants: Grants;
  readonly keepOpen: (request: Request) => void;
  readonly keyUse: KeyUse;
  readonly lookups: CallLookups;
  readonly serviceAccounts: ServiceAccounts;
  readonly eventFeeds: EventFeeds;
  readonly openStreams: OpenStreams;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
}

/** Streams the events of a workspace while the caller reads and is allowed to. */
export function liveEventRoutes(deps: EventRoutesDeps): Pick<Handlers, 'streamNews'> {
  return {
    streamNews({ request, acting, query }) {
      const { workspace, member } = acting;
      const listener = deps.eventFeeds.listen({
        workspaceId: workspace.id,
        userId: member.userId,
        role: member.role,
        rights: acting.rights,
        after: request.headers.get('last-event-id') ?? query.after,
      });
      deps.keepOpen(request);
      const watch = watchMember(deps, request, acting, ROUTES.streamNews.access);
      return liveEventStream({ request, listener, watch, reportBug: deps.reportBug });
    },
  };
}

interface NewsStreamOptions {
  readonly request: Request;
  readonly listener: Pick<FeedListener, 'next' | 'stop'>;
  readonly watch: Watch;
  readonly reportBug: (error: unknown) => string;
}

/** Streams events until one side ends. A slow reader uses no memory here: the feed continues without it. */
function liveEventStream({ request, listener, watch, reportBug }: NewsStreamOptions): Response {
  const stop = () => listener.stop();
  if (request.signal.aborted) stop();
  else request.signal.addEventListener('abort', stop, { once: true });
  const source: Bun.DirectUnderlyingSource = {
    type: 'direct',
    async pull(controller) {
      const unwatch = watch(stop);
      try {
        await write(controller, () => listener.next());
      } catch (error) {
        reportBug(error);
      } finally {
        unwatch();
        listener.stop();
        if (!request.signal.aborted) await controller.end();
      }
    },
    cancel: stop,
  };
  // The DOM types override Bun's, and they lack direct streams.
  return new Response(new ReadableStream(source as unknown as UnderlyingSource), {
    headers: EVENT_STREAM_HEADERS,
  });
}

/** A promise of the socket means that it is full. New events then wait in the feed, or are skipped. */
async function write(controller: ReadableStreamDirectController, next: FeedListener['next']): Promise<void> {
  let isBlocked = false;
  const silence = setInterval(() => {
    if (isBlocked) return;
    void controller.write(KEEP_ALIVE);
    void controller.flush();
  }, LIMITS.sseSilenceMs);
  try {
    for (let frames = await next(); frames !== undefined; frames = await next()) {
      const written = controller.write(frames);
      void controller.flush();
      isBlocked = true;
      await written;
      isBlocked = false;
      silence.refresh();
    }
  } finally {
    clearInterval(silence);
  }
}
