import { KEEP_ALIVE } from '@svc/core/execution/sse';
import { LIMITS } from '@svc/core/plan/limits';
import { EVENT_STREAM_HEADERS } from '../../http/sse-response.ts';
import type { Watch } from '../../http/watch-caller.ts';
import type { FeedListener } from '../feed-listener.ts';

interface NewsStreamOptions {
  readonly request: Request;
  readonly listener: Pick<FeedListener, 'next' | 'stop'>;
  readonly watch: Watch;
  readonly reportBug: (error: unknown) => string;
}

/** Answers with events until one side has enough. A reader that does not read holds nothing here: the feed goes on without it. */
export function liveEventStream({ request, listener, watch, reportBug }: NewsStreamOptions): Response {
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
  // The types of the DOM win over Bun's, and they know no direct streams.
  return new Response(new ReadableStream(source as unknown as UnderlyingSource), {
    headers: EVENT_STREAM_HEADERS,
  });
}

/** A promise of the socket means that it is full: what happens until it has room waits in the feed, or is passed over. */
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
