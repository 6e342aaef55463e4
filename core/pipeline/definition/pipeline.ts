import type { InputField } from '../input/input-field.ts';

export const TRIGGER_TYPES = ['manual', 'webhook'] as const;
export const FAILURE_WAYS = ['stop', 'continue'] as const;

/** What edges call the node that a run begins at (reference 2.5). */
export const TRIGGER_ID = 'trigger';

/** One pipeline as every room of the house knows it (decision 40). It is plain JSON: versions are stored as they are. */
export interface Pipeline {
  readonly slug: string;
  readonly description?: string;
  readonly trigger: Trigger;
  readonly nodes: readonly PipelineNode[];
  readonly edges: readonly Edge[];
}

/** How a run begins. */
export interface Trigger {
  readonly type: (typeof TRIGGER_TYPES)[number];
  readonly public: boolean;
  /** Empty for a manual trigger. */
  readonly inputSchema: readonly InputField[];
  /** With it only signed calls are taken (decision 43). */
  readonly secret?: string;
}

export type PipelineNode = StepNode | ConditionNode;

/** A call of an endpoint; texts may hold references (decision 42). */
export interface StepNode {
  readonly kind: 'step';
  readonly id: string;
  readonly endpoint: string;
  readonly args: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly agentName?: string;
  readonly onFailure: (typeof FAILURE_WAYS)[number];
  /** Instead of the endpoint's own. */
  readonly timeoutSec?: number;
  readonly retry?: Retry;
}

/** `limit` more tries after the first; the first of them after `backoffSec`, each further one after twice as long. */
export interface Retry {
  readonly limit: number;
  readonly backoffSec: number;
}

/** Lets a run go on one way or another. */
export interface ConditionNode {
  readonly kind: 'condition';
  readonly id: string;
  readonly expression: string;
}

/** `to` runs after `from`; `when` says on which answer, and only an edge from a condition has it. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly when?: boolean;
}
