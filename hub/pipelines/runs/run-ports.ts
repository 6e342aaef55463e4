import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval } from '@svc/core/approval/approval';
import type { Change } from '@svc/core/pipeline/run/draft';
import type { RetainedRun } from '@svc/core/pipeline/run/new-run';
import type { NodeRecord, RunHead, RunState } from '@svc/core/pipeline/run/state';
import type { NewStepExecution, QuotaClaim, StepExecution } from '../../executions/execution-ports.ts';
import type { Page } from '../../platform/page-of-items.ts';

/** What use cases about runs take besides `Ports`. */
export interface PipelineRunPorts {
  readonly runs: PipelineRuns;
}

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

/** The ledger of runs: head, nodes and the executions of steps change together, by compare-and-set on the head's revision. */
export interface PipelineRuns {
  /** Run, nodes, input, claims and request together; the same id again counts once. */
  start(run: RunFacts, state: RetainedRun, parts: NewRunParts): Promise<StartStored>;
  /** Of the hub that has the run, and of no other. The same change again, as after an answer that was lost, counts once. */
  change(
    run: Pick<PipelineRun, 'id' | 'hubId' | 'workspaceId' | 'slug'>,
    fromRevision: number,
    change: Change,
    along: Along,
  ): Promise<ChangeStored>;
  /** Remembers that it is to end, for the hub that has it; false when it has ended, or is not there. */
  askCancel(runId: string, nowMs: number): Promise<boolean>;
  find(runId: string): Promise<PipelineRun | undefined>;
  input(runId: string): Promise<RecordedInput | undefined>;
  head(runId: string): Promise<RunHead | undefined>;
  /** All of its nodes, or those that changed after this revision. */
  nodes(runId: string, afterRevision?: number): Promise<NodeRecord[]>;
  /** The sealed request that it began with, where that was signed. */
  sealedRequest(runId: string): Promise<string | undefined>;
  /** The newest first. */
  list(filter: RunFilter): Promise<Page<PipelineRun>>;
  /** The executions of its steps, or of one, in the order in which they were made. */
  executions(runId: string, step?: string): Promise<StepExecution[]>;
  /** The ids of all of a hub that have not ended: what it goes on with when it starts, or another when it has lapsed. */
  unfinished(hubId: string): Promise<string[]>;
  /** Those of them that somebody has asked to end and that are not ending yet. */
  cancelsAsked(hubId: string): Promise<string[]>;
  /** The executions of a hub's unfinished runs that have gone on since their node was stored. */
  moved(hubId: string): Promise<StepExecution[]>;
  /** The ids of all of a workspace that have not ended. */
  unfinishedOf(workspaceId: string): Promise<string[]>;
  owners(): Promise<string[]>;
  /** Makes it the one hub's that was the other's; false when it was not, or is another's by now. */
  claim(runId: string, fromHubId: string, toHubId: string): Promise<boolean>;
}
