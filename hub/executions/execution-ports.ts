import type { AlertEvent } from '@svc/core/alert/event';
import type { CallInput } from '@svc/core/api/call-body';
import type { CountedExecutions, StatsSpan } from '@svc/core/execution/execution-stats';
import type { LineTime } from '@svc/core/execution/line-times';
import type { ReceivedFile } from '@svc/core/execution/received-file';
import type { ExecutionState, Reason } from '@svc/core/execution/state';
import type { Workspace } from '../accounts/account-ports.ts';
import type { JournalMark } from '../agents/agent-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { PageOfItems } from '../platform/page-of-items.ts';

export interface NewExecution {
  readonly id: string;
  readonly workspaceId: string;
  readonly endpointId: string;
  /** Undefined for records that are older than versions. */
  readonly endpointVersion: number | undefined;
  readonly slug: string;
  readonly definitionHash: string;
  /** `running` when the agent is known: acceptance and beginning are one commit (decision 24, states and takeover). */
  readonly state: Extract<ExecutionState, 'pending_approval' | 'queued' | 'running' | 'rejected'>;
  readonly reason: Reason | undefined;
  readonly trigger: 'call' | 'dashboard' | 'schedule' | 'pipeline' | 'mcp' | 'choices';
  readonly callerKind: 'api_key' | 'member' | 'anonymous';
  readonly callerId: string | undefined;
  /** JSON object of argument name to value; the value of a secret argument is null. */
  readonly args: string;
  /**
   * The values of secret arguments, and the variables of a step, sealed; only until the agent has them (decision 9, values of a
   * call).
   */
  readonly sealedArgs: string | undefined;
  readonly agentName: string | undefined;
  readonly agentInstance: string | undefined;
  readonly agentBoot: string | undefined;
  readonly hubId: string;
  /** No caller waits on a connection: the execution continues when its hub is replaced. */
  readonly asynchronous: boolean;
  readonly timeoutSec: number;
  readonly createdAtMs: number;
  /** SHA-256 of the anonymous caller's read token (decision 20, asynchronous calls and records). */
  readonly readTokenHash: string | undefined;
  /** The fire time of a scheduled execution; an endpoint has one fire in a minute (decision 37, schedules). */
  readonly scheduledForMs?: number | undefined;
  /** The pipeline step that the execution belongs to. */
  readonly step?: StepOf | undefined;
  /** The callback URL of its caller (decision 39, alerts). */
  readonly callbackUrl?: string | undefined;
  /** The files, or the body, that wait with it for approval; later those that its command got. Undefined without any. */
  readonly files?: readonly ReceivedFile[] | undefined;
}

/** A body in the spool while its call waits for approval (decision 83, bodies that wait for approval). */
export interface KeptInput {
  readonly bytes: number;
  /** Of the whole body, in hexadecimal. */
  readonly sha256: string;
  /** The key of its encryption, in base64. */
  readonly key: string;
  /** The `Content-Type` of a form with files; absent: the command reads the body from stdin. */
  readonly form?: string | undefined;
}

/** The attempt, the step and the run of an execution; each attempt has one execution. */
export interface StepOf {
  readonly runId: string;
  readonly id: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Variables besides those of the endpoint; null: sealed with the secret arguments. Older records have the values. */
  readonly env: Readonly<Record<string, string | null>>;
  /** The agent of the step, instead of the agent of its endpoint. */
  readonly agentName: string | undefined;
}

export type NewStepExecution = NewExecution & { readonly step: StepOf };
export type StepExecution = Execution & { readonly step: StepOf };

export interface Execution extends Omit<NewExecution, 'state'> {
  readonly state: ExecutionState;
  /** When a cancel was requested; `state` says whether the execution has ended. */
  readonly cancelRequestedAtMs: number | undefined;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly exitCode: number | undefined;
  readonly durationMs: number | undefined;
  readonly error: string | undefined;
  readonly errorCode: string | undefined;
  /** The result of its transform, as JSON. */
  readonly data: string | undefined;
  /** The execution was `lost` before the agent reported its end. */
  readonly late: boolean;
  /** The number of lost fires that a missed execution represents. */
  readonly missedFires?: number | undefined;
  readonly storedBytes: number;
  readonly lastSeq: number;
  /** When a pending execution was approved. */
  readonly queuedAtMs: number | undefined;
  readonly files: readonly ReceivedFile[] | undefined;
}

export interface QuotaClaim {
  readonly workspaceId: string;
  /** `2026-11`, UTC. */
  readonly period: string;
  /** Undefined: counted, never refused. */
  readonly limit: number | undefined;
  /** The claim on the hosted runner. */
  readonly hosted?: HostedClaim | undefined;
}

/**
 * One unit of the hosted quota, and one place; an undefined limit is not checked (decision 46, plans and quotas; decision 50, the
 * queue of the hosted runner).
 */
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
  /** `wasThere`: an execution with this id was stored before, by a write whose answer was lost or by another hub. */
  | { readonly kind: 'stored'; readonly wasThere?: true }
  | { readonly kind: 'quota_exceeded'; readonly used: number }
  /** The hosted quota of the month is used up; `no_place`: all hosted places of the plan are taken. */
  | { readonly kind: 'hosted_quota_exceeded' }
  | { readonly kind: 'no_place' }
  | { readonly kind: 'repeated'; readonly executionId: string; readonly requestHash: string };

/** One stored chunk of output: bytes of an SSE stream, with the data that rebuilds the plain text. */
export interface OutputChunk {
  readonly executionId: string;
  /** The agent's number, from 1, without gaps. */
  readonly seq: number;
  readonly sse: Uint8Array;
  /** Lines that did not end in a plain newline, as JSON (decision 16, the buffered answer). */
  readonly endings: string | undefined;
  /** For a chunk in memory: each reader calls it once when it no longer needs the bytes. */
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
  readonly files?: readonly ReceivedFile[] | undefined;
  /** Why not even the list of the files that the command left is here (decision 72, artifacts). */
  readonly artifactsUnsent?: string | undefined;
  /** When the command wrote its output (decision 106, times of lines). */
  readonly lineTimes?: readonly LineTime[] | undefined;
  readonly endedAtMs: number;
  /** The alerts are stored with the end, or neither is (decision 39, alerts). */
  readonly alerts?: readonly AlertEvent[];
  /** A hub's own decision counts only while the execution is its own; absent for an end that the agent reports. */
  readonly ifOfHub?: string;
  /** The newest line of the agent's journal, stored with the end. */
  readonly journal?: JournalMark | undefined;
}

export interface ExecutionFilter {
  readonly workspaceId: string;
  readonly slug?: string;
  /** Any of these slugs. */
  readonly slugs?: readonly string[];
  readonly states?: readonly ExecutionState[];
  readonly trigger?: NewExecution['trigger'];
  readonly agentName?: string;
  readonly callerId?: string;
  /** A value that the execution was called with. */
  readonly argument?: { readonly name: string; readonly value: string };
  /** The span of creation times in milliseconds: `fromMs` is included, `untilMs` is not. */
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly cursor?: string;
  readonly limit: number;
}

/** The workspace or endpoint whose executions are counted. */
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
  /** Stores execution, quota and idempotency row together, or nothing. */
  accept(execution: NewExecution, quota?: QuotaClaim, idempotency?: IdempotencyClaim): Promise<Acceptance>;
  /** queued -> running; false when it is no longer queued. A repeated call, as after a lost answer, counts once. */
  begin(
    executionId: string,
    to: { name: string; instance: string; boot: string; hubId: string; nowMs: number },
  ): Promise<boolean>;
  /**
   * Appends chunks. (execution, sequence) is unique: a chunk that is stored already stays. For one execution the caller awaits
   * each append before the next, in the order of the numbers, so that the stored output has no gap up to `lastSeq`.
   */
  append(chunks: readonly OutputChunk[]): Promise<void>;
  /** Stores the last chunks and the final state together; false when the present state allows no such transition. */
  finish(finish: Finish, lastChunks: readonly OutputChunk[], refund?: QuotaClaim): Promise<boolean>;
  /** Ends a queued execution; false when it is no longer queued. */
  finishQueued(finish: Finish, refund?: QuotaClaim): Promise<boolean>;
  /** Stores a cancel request; false when the execution does not run. */
  requestCancel(executionId: string, nowMs: number): Promise<boolean>;
  /** Erases the sealed arguments: the agent has them. */
  eraseSealedArgs(executionId: string): Promise<void>;
  /** Moves an execution from one hub to another; false when it does not belong to the first hub any more. */
  claim(executionId: string, fromHubId: string, toHubId: string): Promise<boolean>;
  /** Moves a queued execution from one hub to another; false also when it has begun. */
  claimQueued(executionId: string, fromHubId: string, toHubId: string): Promise<boolean>;
  find(executionId: string): Promise<Execution | undefined>;
  /** When the output of an ended execution was written; undefined: not known. */
  lineTimes(executionId: string): Promise<readonly LineTime[] | undefined>;
  /** Chunks with a sequence number above `afterSeq`, ascending, at most `limit`. */
  output(executionId: string, afterSeq: number, limit: number): Promise<OutputChunk[]>;
  /** Chunks with a sequence number below `beforeSeq`, descending, at most `limit`. */
  outputBack(executionId: string, beforeSeq: number, limit: number): Promise<OutputChunk[]>;
  /**
   * Lists executions, the newest first, without their results. Where no index answers the whole filter, one read scans a bounded
   * number of rows (decision 20, asynchronous calls and records). The page is then short, or empty, and says that it is partial.
   */
  list(filter: ExecutionFilter): Promise<PageOfItems<Execution>>;
  /** Hours and days are counted as executions end (decision 63, statistics); minutes are read from the newest rows. */
  statistics(of: CountedBy, span: StatsSpan): Promise<Statistics>;
  /** The queued and running executions of a hub, for its start, or for a takeover when its lease has expired. */
  unfinished(hubId: string): Promise<Execution[]>;
  /** The executions of all other hubs that wait for an agent while no caller waits on a connection, the oldest first. */
  queuedAtOtherHubs(hubId: string, limit: number): Promise<Execution[]>;
  /** The ids of the running executions of a hub whose cancel was requested. */
  cancelRequested(hubId: string): Promise<string[]>;
  /** The hubs that have unfinished executions, alive or not. */
  owners(): Promise<string[]>;
  idempotent(
    claim: Pick<IdempotencyClaim, 'endpointId' | 'credential' | 'key'>,
    nowMs: number,
  ): Promise<{ executionId: string; requestHash: string } | undefined>;
  quotaUsed(workspaceId: string, period: string): Promise<number>;
  /** The newest months with executions, newest first. */
  usedMonths(workspaceId: string, limit: number): Promise<readonly UsedMonth[]>;
}

/** The executions of a workspace in a month, and those of them that ran on the hosted runner. */
export interface UsedMonth {
  readonly period: string;
  readonly executions: number;
  readonly hosted: number;
}

/** The request of a caller who may call the endpoint. */
export interface CallRequest {
  readonly workspace: Workspace;
  readonly target: RegisteredEndpoint;
  readonly method: string;
  readonly values: ReadonlyMap<string, string>;
  readonly trigger: NewExecution['trigger'];
  readonly callerKind: NewExecution['callerKind'];
  readonly callerId: string | undefined;
  /** The address of the caller; undefined where no HTTP request began the call. */
  readonly from: string | undefined;
  readonly asynchronous: boolean;
  readonly readTokenHash: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The URL that receives the end of the execution; only calls with a key or a token have one. */
  readonly callbackUrl?: string | undefined;
  /** The body that the command reads from stdin (decision 73, the body as standard input), or a form with files (decision 76, files of a call). */
  readonly input?: CallInput | undefined;
}
