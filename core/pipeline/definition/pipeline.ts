import type { InputField } from '../input/input-field.ts';

export const TRIGGER_TYPES = ['manual', 'webhook'] as const;
export const FAILURE_WAYS = ['stop', 'continue'] as const;

/** The wait before the second attempt of a step that is repeated. */
export const DEFAULT_BACKOFF_SEC = 10;

/** The name of the start node in edges (reference 2.5). */
export const TRIGGER_ID = 'trigger';

/** One pipeline (decision 40, the definition of a pipeline). It is plain JSON, because versions are stored unchanged. */
export interface Pipeline {
  readonly slug: string;
  readonly description?: string;
  /** Words by which people find it. */
  readonly tags?: readonly string[];
  /** False: it is no tool for AI agents. */
  readonly mcp?: boolean;
  readonly trigger: Trigger;
  readonly nodes: readonly PipelineNode[];
  readonly edges: readonly Edge[];
}

/** The start of a run. */
export interface Trigger {
  readonly type: (typeof TRIGGER_TYPES)[number];
  readonly public: boolean;
  /** Empty for a manual trigger. */
  readonly inputSchema: readonly InputField[];
  /** With a secret, only signed calls are accepted (decision 43, calling a pipeline). */
  readonly secret?: string;
}

export type PipelineNode = StepNode | ConditionNode;

/** A call of an endpoint. Its texts may contain references (decision 42, references and conditions). */
export interface StepNode {
  readonly kind: 'step';
  readonly id: string;
  readonly endpoint: string;
  readonly args: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly agentName?: string;
  readonly onFailure: (typeof FAILURE_WAYS)[number];
  /** Takes precedence over the agent of the endpoint. */
  readonly timeoutSec?: number;
  readonly retry?: Retry;
}

/** At most `limit` further attempts. The first follows after `backoffSec`, and each further wait is twice as long. */
export interface Retry {
  readonly limit: number;
  readonly backoffSec: number;
}

/** Selects one of two branches. */
export interface ConditionNode {
  readonly kind: 'condition';
  readonly id: string;
  readonly expression: string;
}

/** `to` runs after `from`. Only an edge from a condition has `when`, the answer that the edge is for. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly when?: boolean;
}
