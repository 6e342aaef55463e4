import type { NodeState } from '@svc/core/pipeline/run/state';

/** The state of a card, beside the content of its node. */
export interface ShownNode {
  /** In a run. */
  readonly state?: NodeState;
  /** In the editor. */
  readonly problem?: string | undefined;
  /** A short fact: the result of a condition, the number of the attempt. */
  readonly note?: string | undefined;
}
