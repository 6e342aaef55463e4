import type { NodeState } from '@svc/core/pipeline/run/state';

/** What a card says besides what its node is. */
export interface ShownNode {
  /** While it runs. */
  readonly state?: NodeState;
  /** While it is drawn: what is wrong with it. */
  readonly problem?: string | undefined;
  /** A short fact: the answer of a condition, which try it is. */
  readonly note?: string | undefined;
}
