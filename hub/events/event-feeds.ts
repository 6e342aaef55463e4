import { LiveEventBatch } from '@svc/core/live-event/batch';
import type { LiveEvent } from '@svc/core/live-event/live-event';
import { refuse } from '@svc/core/refusal';
import type { EndpointRights } from '@svc/core/workspace/endpoint-rights';
import type { Role } from '@svc/core/workspace/permissions';
import type { Clock } from '../platform/world.ts';
import type { EventBus, LiveEventBundle } from './event-bus.ts';
import { FeedListener, WorkspaceFeed } from './workspace-feed.ts';

/** Events within this time are sent together. */
const GATHER_MS = 100;
/** How long events are kept for listeners that lost their connection. */
const RECONNECT_MS = 60_000;
/** The limit of connections of one person to one workspace. Every open page of a browser has one. */
const LISTENERS_PER_MEMBER = 30;

/** The listener of a workspace. */
export interface LiveEventReader {
  readonly workspaceId: string;
  readonly userId: string;
  readonly role: Role;
  /** Undefined: the role decides. */
  readonly rights?: EndpointRights | undefined;
  /** The id of the last event that they have. */
  readonly after: string | undefined;
}

export interface FeedWatch {
  readonly onEvents: (bundle: LiveEventBundle) => void;
  readonly onClose: () => void;
}

interface Open {
  readonly feed: WorkspaceFeed;
  readonly listeners: Map<FeedListener, string>;
  readonly unsubscribe: () => void;
  /** Set while the feed has no listener: it closes soon. */
  withdrawClosing: (() => void) | undefined;
}

interface EventFeedsDeps {
  readonly clock: Clock;
  readonly bus: EventBus;
  /** A word of letters and digits that differs for each feed and each process. */
  readonly newName: () => string;
}

/**
 * The live feeds of workspaces that someone is looking at. Events are published after their commit. A workspace without listeners
 * costs one look-up.
 */
export class EventFeeds {
  readonly #parts: EventFeedsDeps;
  readonly #open = new Map<string, Open>();
  readonly #gathering = new Map<string, LiveEventBatch>();
  readonly #watches = new Set<() => void>();
  #isClosed = false;

  constructor(parts: EventFeedsDeps) {
    this.#parts = parts;
  }

  hasListener(workspaceId: string): boolean {
    return this.#parts.bus.hasListener(workspaceId);
  }

  /** @param event is called only if a dashboard of the workspace is open */
  publish(workspaceId: string, event: LiveEvent | (() => LiveEvent)): void {
    if (!this.hasListener(workspaceId)) return;
    this.#batchOf(workspaceId).add(typeof event === 'function' ? event() : event);
  }

  /** Follows a workspace from now on, or from the last position of the reader. */
  listen({ workspaceId, userId, role, rights, after }: LiveEventReader): FeedListener {
    const open = this.#openOf(workspaceId);
    const ofMember = [...open.listeners.values()].filter((id) => id === userId).length;
    if (ofMember >= LISTENERS_PER_MEMBER)
      throw refuse('concurrency_limited', `${LISTENERS_PER_MEMBER} streams of yours are open already`, {
        limit: LISTENERS_PER_MEMBER,
      });
    open.withdrawClosing?.();
    open.withdrawClosing = undefined;
    const listener = new FeedListener(open.feed, { role, rights }, after, () =>
      this.#left(workspaceId, open, listener),
    );
    open.listeners.set(listener, userId);
    if (this.#isClosed) listener.stop();
    return listener;
  }

  /** Calls back with the events of a workspace at all hubs, and when the hub stops. The returned function ends it. */
  watch(workspaceId: string, { onEvents, onClose }: FeedWatch): () => void {
    const unsubscribe = this.#parts.bus.subscribe(workspaceId, onEvents);
    this.#watches.add(onClose);
    if (this.#isClosed) queueMicrotask(onClose);
    return () => {
      unsubscribe();
      this.#watches.delete(onClose);
    };
  }

  /** The hub stops: readers should reconnect to another hub, or to this one when it is back. */
  close(): void {
    this.#isClosed = true;
    for (const onClose of [...this.#watches]) onClose();
    for (const { listeners, withdrawClosing } of [...this.#open.values()]) {
      withdrawClosing?.();
      for (const listener of [...listeners.keys()]) listener.stop();
    }
  }

  #openOf(workspaceId: string): Open {
    const known = this.#open.get(workspaceId);
    if (known !== undefined) return known;
    const feed = new WorkspaceFeed(this.#parts.newName());
    const unsubscribe = this.#parts.bus.subscribe(workspaceId, (bundle) => feed.add(bundle));
    const open: Open = { feed, listeners: new Map(), unsubscribe, withdrawClosing: undefined };
    this.#open.set(workspaceId, open);
    return open;
  }

  /** The last listener may reconnect soon, so events are kept for this long. */
  #left(workspaceId: string, open: Open, listener: FeedListener): void {
    open.listeners.delete(listener);
    if (open.listeners.size > 0) return;
    const close = () => {
      open.unsubscribe();
      this.#open.delete(workspaceId);
    };
    const { clock } = this.#parts;
    if (this.#isClosed) close();
    else open.withdrawClosing = clock.at(clock.nowMs() + RECONNECT_MS, close);
  }

  #batchOf(workspaceId: string): LiveEventBatch {
    const known = this.#gathering.get(workspaceId);
    if (known !== undefined) return known;
    const batch = new LiveEventBatch();
    this.#gathering.set(workspaceId, batch);
    const { clock, bus } = this.#parts;
    clock.at(clock.nowMs() + GATHER_MS, () => {
      this.#gathering.delete(workspaceId);
      bus.publish(workspaceId, batch.take());
    });
    return batch;
  }
}
