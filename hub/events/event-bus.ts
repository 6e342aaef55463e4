import type { LiveEvent } from '@svc/core/live-event/live-event';

/** Several pieces of news of one workspace; `overfull`: there were more than can be told. */
export type LiveEventBundle = readonly LiveEvent[] | 'overfull';

/**
 * Carries news to whoever listens, at whichever hub. Nothing of it is the truth: what is lost on the way is found in the
 * store by whoever looks.
 */
export interface EventBus {
  /** Whether anybody listens to the workspace. Asked with every call: it has to be a look-up in memory. */
  isHeard(workspaceId: string): boolean;
  publish(workspaceId: string, bundle: LiveEventBundle): void;
  /** From now on, in the order in which they were published, until the returned function is called. */
  subscribe(workspaceId: string, hear: (bundle: LiveEventBundle) => void): () => void;
}
