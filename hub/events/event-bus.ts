import type { News } from '@svc/core/news/news';

/** Several pieces of news of one workspace; `overfull`: there were more than can be told. */
export type NewsBundle = readonly News[] | 'overfull';

/**
 * Carries news to whoever listens, at whichever hub. Nothing of it is the truth: what is lost on the way is found in the
 * store by whoever looks.
 */
export interface NewsBus {
  /** Whether anybody listens to the workspace. Asked with every call: it has to be a look-up in memory. */
  isHeard(workspaceId: string): boolean;
  publish(workspaceId: string, bundle: NewsBundle): void;
  /** From now on, in the order in which they were published, until the returned function is called. */
  subscribe(workspaceId: string, hear: (bundle: NewsBundle) => void): () => void;
}
