import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval } from '@svc/core/approval/approval';
import type { RunHead, RunState } from '@svc/core/pipeline/run/state';
import type { NewStepExecution, QuotaClaim } from '../../executions/execution-ports.ts';

/** What of a run never changes, besides its input. */
export interface RunFacts {
  /** UUIDv7. */
  readonly id: string;
  readonly workspaceId: string;
  readonly pipelineId: string;
  /** Runs keep to the version that they began with. */
  readonly pipelineVersion: number;
  readonly slug: string;
  readonly trigger: 'call' | 'webhook' | 'dashboard' | 'rerun';
  readonly callerKind: 'api_key' | 'member' | 'anonymous' | 'signature';
  readonly callerId: string | undefined;
  /** The run whose failed steps it runs again. */
  readonly rerunOf: string | undefined;
  readonly readTokenHash: string | undefined;
  readonly hubId: string;
  readonly createdAtMs: number;
}

/** A run; its input, which may be a megabyte, is asked for by itself. */
export interface PipelineRun extends RunFacts {
  readonly head: RunHead;
  /** Somebody wants it to end; whether it did is what `head` says. */
  readonly cancelAskedAtMs: number | undefined;
}

/** What the declared fields were, as the trigger checked them: JSON objects. */
export type RecordedInput =
  | {
      readonly kind: 'sealed';
      /** A field that goes into a secret argument is null in it. */
      readonly fields: string;
      /** The values of those fields, until the run has ended (decision 9). */
      readonly secrets: string | undefined;
    }
  /** Of a run that began when inputs were not sealed yet. */
  | { readonly kind: 'plain'; readonly fields: string };

/** The idempotency key of a run: a header of the caller, a delivery id, or a signature (decision 23). */
export interface RunIdempotency {
  readonly pipelineId: string;
  readonly credential: string;
  readonly key: string;
  readonly requestHash: string;
  readonly expiresAtMs: number;
}

/** What a request brings along that is stored with its run, or not at all. */
export interface WithRun {
  /** All that the request counts by: a delivery has its id, and its signature (decision 23). One that is known makes it repeated. */
  readonly claims: readonly RunIdempotency[];
  /** A signed request as it was received, sealed: kept with the run, so that its signature can be checked again. */
  readonly sealedRequest: string | undefined;
}

/** All that is stored with a new run, or not at all. */
export interface NewRunParts extends WithRun {
  readonly input: RecordedInput;
  /** So many runs of its workspace may be open, this one among them. */
  readonly mostOpen: number;
}

/** `repeated`: `requestHash` is that of the first. `too_many_open`: as many of its workspace have not ended as may. Then nothing is stored. */
export type StartStored =
  | { readonly kind: 'stored' }
  | { readonly kind: 'repeated'; readonly runId: string; readonly requestHash: string }
  | { readonly kind: 'too_many_open' };

/** One attempt at a step: an execution as any other, made in the commit of the change that orders it (decision 24). */
export interface StepStart {
  readonly execution: NewStepExecution;
  readonly quota: QuotaClaim | undefined;
  /** Of one that waits for a person. */
  readonly approval: Approval | undefined;
}

/** What is stored with a change of a run, or not at all. */
export interface Along {
  readonly steps: readonly StepStart[];
  readonly alerts: readonly AlertEvent[];
}

/** `overtaken`: it is not as it was, or another hub's; read it again. `quota_exceeded`: a step found the month used up. Then nothing is stored. */
export type ChangeStored = 'stored' | 'overtaken' | 'quota_exceeded';

export interface RunFilter {
  readonly workspaceId: string;
  readonly slug?: string;
  readonly state?: RunState;
  readonly callerId?: string;
  readonly cursor?: string;
  readonly limit: number;
}
