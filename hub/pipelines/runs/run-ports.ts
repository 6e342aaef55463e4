import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval } from '@svc/core/approval/approval';
import type { RunHead, RunState } from '@svc/core/pipeline/run/state';
import type { NewStepExecution, QuotaClaim } from '../../executions/execution-ports.ts';

/** The fields of a run that never change, besides its input. */
export interface RunFacts {
  /** UUIDv7. */
  readonly id: string;
  readonly workspaceId: string;
  readonly pipelineId: string;
  /** A run uses this version until its end. */
  readonly pipelineVersion: number;
  readonly slug: string;
  readonly trigger: 'call' | 'webhook' | 'dashboard' | 'rerun' | 'mcp';
  readonly callerKind: 'api_key' | 'member' | 'anonymous' | 'signature';
  readonly callerId: string | undefined;
  /** The run whose failed steps this run repeats. */
  readonly rerunOf: string | undefined;
  readonly readTokenHash: string | undefined;
  readonly hubId: string;
  readonly createdAtMs: number;
}

/** A run without its input, which may be a megabyte and is loaded separately. */
export interface PipelineRun extends RunFacts {
  readonly head: RunHead;
  /** When a cancellation was requested; `head` has the state. */
  readonly cancelAskedAtMs: number | undefined;
}

/** The validated input fields, as JSON objects. */
export type RecordedInput =
  | {
      readonly kind: 'sealed';
      /** Fields for secret arguments are null. */
      readonly fields: string;
      /** The values of these fields, until the run has ended (decision 9, values of a call). */
      readonly secrets: string | undefined;
    }
  /** The input of an old run, from before inputs were sealed. */
  | { readonly kind: 'plain'; readonly fields: string };

/** The idempotency key of a run: a header of the caller, a delivery id, or a signature (decision 23, idempotency). */
export interface RunIdempotency {
  readonly pipelineId: string;
  readonly credential: string;
  readonly key: string;
  readonly requestHash: string;
  readonly expiresAtMs: number;
}

/** Data of a request that is stored in the transaction of its run. */
export interface WithRun {
  /**
   * All idempotency keys of the request: a delivery has its id and its signature (decision 23, idempotency). One known key makes it
   * repeated.
   */
  readonly claims: readonly RunIdempotency[];
  /** The received signed request, sealed and kept with the run, so that its signature can be verified again. */
  readonly sealedRequest: string | undefined;
}

/** Data that is stored in the transaction of a new run. */
export interface NewRunParts extends WithRun {
  readonly input: RecordedInput;
  /** The limit of open runs of its workspace, including this one. */
  readonly maxOpen: number;
}

/**
 * `repeated`: `requestHash` belongs to the first request. `too_many_open`: the workspace has reached its limit. Both store nothing.
 */
export type StartStored =
  | { readonly kind: 'stored' }
  | { readonly kind: 'repeated'; readonly runId: string; readonly requestHash: string }
  | { readonly kind: 'too_many_open' };

/**
 * One attempt at a step: an ordinary execution, created in the commit of the change that orders it (decision 24, states and
 * takeover).
 */
export interface StepStart {
  readonly execution: NewStepExecution;
  readonly quota: QuotaClaim | undefined;
  /** For a step that waits for an approval. */
  readonly approval: Approval | undefined;
}

/** Data that is stored in the transaction of a change of a run. */
export interface TurnWrites {
  readonly steps: readonly StepStart[];
  readonly alerts: readonly AlertEvent[];
}

/**
 * `overtaken`: the run has changed or another hub has it; load it again. `quota_exceeded`: the monthly quota is used up. Both store
 * nothing.
 */
export type ChangeStored = 'stored' | 'overtaken' | 'quota_exceeded';

export interface RunFilter {
  readonly workspaceId: string;
  readonly slug?: string;
  readonly state?: RunState;
  readonly callerId?: string;
  readonly cursor?: string;
  readonly limit: number;
}
