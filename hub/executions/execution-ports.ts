import type { AlertEvent } from '@svc/core/alert/event';
import type { CountedExecutions, StatsSpan } from '@svc/core/execution/execution-stats';
import type { ExecutionState, Reason } from '@svc/core/execution/state';
import type { JournalMark } from '../agents/journal-ports.ts';
import type { Page } from '../platform/page-of-items.ts';

export interface NewExecution {
  readonly id: string;
  readonly workspaceId: string;
  readonly endpointId: string;
  /** Undefined for records of before there were versions in them. */
  readonly endpointVersion: number | undefined;
  readonly slug: string;
  readonly definitionHash: string;
  /** `running` when the agent is known already: accepted and about to be dispatched in one commit (decision 24). */
  readonly state: Extract<ExecutionState, 'pending_approval' | 'queued' | 'running' | 'rejected'>;
  readonly reason: Reason | undefined;
  readonly trigger: 'call' | 'dashboard' | 'schedule' | 'pipeline';
  readonly callerKind: 'api_key' | 'member' | 'anonymous';
  readonly callerId: string | undefined;
  /** JSON object of argument name to value; the value of a secret argument is null. */
  readonly args: string;
  /** The values of secret arguments, and the variables of a step, sealed; only until the agent has them (decision 9). */
  readonly sealedArgs: string | undefined;
  readonly agentName: string | undefined;
  readonly agentInstance: string | undefined;
  readonly agentBoot: string | undefined;
  readonly hubId: string;
  /** Nobody waits on a connection for it: it goes on when its hub is replaced. */
  readonly asynchronous: boolean;
  readonly timeoutSec: number;
  readonly createdAtMs: number;
  /** SHA-256 of the anonymous caller's read token (decision 20). */
  readonly readTokenHash: string | undefined;
  /** The fire of the schedule that it is; an endpoint has one in a minute (decision 37). */
  readonly scheduledForMs?: number | undefined;
  /** The step of a pipeline run that it is. */
  readonly step?: StepOf | undefined;
}

/** Which attempt at which step of which run; there is one execution of each. */
export interface StepOf {
  readonly runId: string;
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  /** Variables besides those of the endpoint; null: sealed with the secret arguments. Records of before have the values. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Where it is to run, instead of where its endpoint says. */
  readonly agentName: string | undefined;
}

export type NewStepExecution = NewExecution & { readonly step: StepOf };
export type StepExecution = Execution & { readonly step: StepOf };

export interface Execution extends Omit<NewExecution, 'state'> {
  readonly state: ExecutionState;
  /** Somebody wants it to end; whether it did is what `state` says. */
  readonly cancelAskedAtMs: number | undefined;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly exitCode: number | undefined;
  readonly durationMs: number | undefined;
  readonly error: string | undefined;
  readonly errorCode: string | undefined;
  /** The result of its transform, as JSON. */
  readonly data: string | undefined;
  /** It was `lost` before the agent proved what had become of it. */
  readonly late: boolean;
  /** Of a missed one that stands for several lost fires: how many. */
  readonly missedFires?: number | undefined;
  readonly storedBytes: number;
  readonly lastSeq: number;
  /** Of one that was held: when it was approved. */
  readonly queuedAtMs: number | undefined;
}

export interface QuotaClaim {
  readonly workspaceId: string;
  /** `2026-11`, UTC. */
  readonly period: string;
  /** Undefined: counted, never refused. */
  readonly limit: number | undefined;
  /** What it takes of the hosted runner, too. */
  readonly hosted?: HostedClaim | undefined;
}

/** A unit of the hosted month, and a place among those that run; an undefined limit is not asked about (decisions 46 and 50). */
export interface HostedClaim {
  readonly period: string;
  readonly limit: number | undefined;
  readonly concurrent: number | undefined;
}

export interface IdempotencyClaim {
  readonly endpointId: string;
  readonly credential: string;
  readonly key: string;
  /** SHA-256 of everything that makes two requests the same, sealed. */
  readonly requestHash: string;
  readonly expiresAtMs: number;
}

export type Acceptance =
  /** `wasThere`: an execution with this id was on record before. An earlier attempt, whose answer was lost, or somebody else's. */
  | { readonly kind: 'stored'; readonly wasThere?: true }
  | { readonly kind: 'quota_exceeded'; readonly used: number }
  /** Of the hosted runner: the month is used up, or as many run as may. */
  | { readonly kind: 'hosted_quota_exceeded' }
  | { readonly kind: 'no_place' }
  | { readonly kind: 'repeated'; readonly executionId: string; readonly requestHash: string };

/** One stored piece of output: bytes of an SSE stream, and what is needed to rebuild the plain text. */
export interface OutputChunk {
  readonly executionId: string;
  /** From 1, without gaps, given by the agent. */
  readonly seq: number;
  readonly sse: Uint8Array;
  /** Lines that did not end in a plain newline, as JSON (decision 16). */
  readonly endings: string | undefined;
  /** Of one that only readers have: to be called by each of them, once, when it has passed the bytes on and looks at them no more. */
  readonly letGo?: () => void;
}

export interface Finish {
  readonly executionId: string;
  readonly state: Extract<
    ExecutionState,
    'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'lost' | 'rejected' | 'missed'
  >;
  readonly reason: Reason | undefined;
  readonly error: string | undefined;
  readonly errorCode: string | undefined;
  readonly exitCode: number | undefined;
  readonly durationMs: number | undefined;
  readonly data: string | undefined;
  readonly endedAtMs: number;
  /** What people hear of it: stored with it, or neither is (decision 39). */
  readonly alerts?: readonly AlertEvent[];
  /** What a hub decides on its own counts only while the execution is its own; absent for what the agent tells. */
  readonly ifOfHub?: string;
  /** How far the journal of its agent has come: stored along. */
  readonly journal?: JournalMark | undefined;
}

export interface ExecutionFilter {
  readonly workspaceId: string;
  readonly slug?: string;
  readonly states?: readonly ExecutionState[];
  readonly trigger?: NewExecution['trigger'];
  readonly agentName?: string;
  readonly callerId?: string;
  /** When it came to be, to the millisecond: from this moment on, and before that one. */
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly cursor?: string;
  readonly limit: number;
}

/** Whose executions are counted. */
export type CountedBy = Pick<ExecutionFilter, 'workspaceId' | 'slug'>;

/** Executions of a span of time, by state and duration. */
export interface Statistics {
  readonly counts: readonly CountedExecutions[];
  /** Executions that were created before this moment are not counted, or not all of them. */
  readonly completeFromMs: number;
  /** A part of the span is not counted. */
  readonly isPartial: boolean;
}

/** The ledger: every transition is a compare-and-set in one transaction. Concurrent writes share commits. */
export interface ExecutionLedger {
  /** Execution, quota and idempotency row together, or none of them. */
  accept(execution: NewExecution, quota?: QuotaClaim, idempotency?: IdempotencyClaim): Promise<Acceptance>;
  /** queued -> running; false when it is no longer queued. The same again, as after an answer that was lost, counts once. */
  begin(
    executionId: string,
    to: { name: string; instance: string; boot: string; hubId: string; nowMs: number },
  ): Promise<boolean>;
  /**
   * (execution, sequence) is unique: a chunk that is stored already is left as it is. Of one execution the caller waits for
   * one append before the next, in the order of the numbers: what is stored is then without gaps up to `lastSeq`.
   */
  append(chunks: readonly OutputChunk[]): Promise<void>;
  /** Last chunks and the final state together; false when the present state allows no such transition. */
  finish(finish: Finish, lastChunks: readonly OutputChunk[], refund?: QuotaClaim): Promise<boolean>;
  /** The same for one that waits: false when it is queued no longer. */
  finishQueued(finish: Finish, refund?: QuotaClaim): Promise<boolean>;
  /** Remembers that a running one is to end; false when it does not run. */
  askCancel(executionId: string, nowMs: number): Promise<boolean>;
  /** The agent has the values of its secret arguments. */
  eraseSealedArgs(executionId: string): Promise<void>;
  /** Makes it the one hub's that was the other's; false when it was not, or is another's by now. */
  claim(executionId: string, fromHubId: string, toHubId: string): Promise<boolean>;
  /** The same of one that waits; false when it has been given to an agent, too. */
  claimQueued(executionId: string, fromHubId: string, toHubId: string): Promise<boolean>;
  find(executionId: string): Promise<Execution | undefined>;
  /** Chunks with a sequence number above `afterSeq`, ascending, at most `limit`. */
  output(executionId: string, afterSeq: number, limit: number): Promise<OutputChunk[]>;
  /**
   * The newest first, without their results. Where no index answers the whole filter, one read looks through a bounded
   * number of rows (decision 20). The page is then short, or empty, and says that it is partial.
   */
  list(filter: ExecutionFilter): Promise<Page<Execution>>;
  /** Hours and days are counted as executions end (decision 63); minutes are read from the newest rows. */
  statistics(of: CountedBy, span: StatsSpan): Promise<Statistics>;
  /** All of a hub that are queued or running: what it settles when it starts, or another when it has lapsed. */
  unfinished(hubId: string): Promise<Execution[]>;
  /** Those of all other hubs that wait for an agent and for nobody's connection, the oldest first. */
  queuedElsewhere(hubId: string, limit: number): Promise<Execution[]>;
  /** The hubs that have such executions, living or not. */
  owners(): Promise<string[]>;
  idempotent(
    claim: Pick<IdempotencyClaim, 'endpointId' | 'credential' | 'key'>,
    nowMs: number,
  ): Promise<{ executionId: string; requestHash: string } | undefined>;
  quotaUsed(workspaceId: string, period: string): Promise<number>;
}
