import type { SendProgress } from '@svc/core/mcp/progress';
import type { KeyUse } from '../accounts/identify.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { AccessDeps } from '../calls/access.ts';
import type { CallDeps } from '../calls/call-endpoint.ts';
import type { ChangeWaiters } from '../executions/live/change-waiters.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { RunDriver } from '../pipelines/runs/run-driver.ts';
import type { StartRunDeps } from '../pipelines/runs/start-run.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import type { ClientStream } from './client-questions.ts';
import type { PendingCallState } from './sealed-state.ts';
import type { AllowedCall } from './while-allowed.ts';

export type RunEndpointDeps = {
  readonly changes: ChangeWaiters;
  readonly pipelines: Pick<Pipelines, 'list'>;
  readonly runs: PipelineRuns;
  readonly driver: RunDriver;
  readonly executions: RunningExecutions;
  readonly keyUse: KeyUse;
  readonly linkTokens: LinkTokens;
  readonly openStreams: OpenStreams;
  readonly reportBug: (error: unknown) => string;
} & CallDeps &
  AccessDeps &
  StartRunDeps;

/** The capabilities of an agent's client, and the channel for progress. */
export interface AgentSide extends AllowedCall {
  /** The client can show a URL to its user, and repeats the request after that. */
  readonly canOpenUrls: boolean;
  /** The client declared the extension for tasks, so it can poll for a result. */
  readonly canPoll: boolean;
  readonly sendProgress: SendProgress | undefined;
  /** Asks the client to open a URL while its request waits; undefined: the client cannot be asked like this. */
  readonly stream: ClientStream | undefined;
  /** Aborts when the client gives up or its connection breaks. */
  readonly left: AbortSignal;
  /** A broken connection cancels the call, as the revision 2026-07-28 requires. */
  readonly isCancelledByLeaving: boolean;
  /** The state from an earlier response to this request. */
  readonly state: PendingCallState | undefined;
}
