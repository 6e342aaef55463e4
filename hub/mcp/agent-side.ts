import type { KeyUse } from '../accounts/identify.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { AccessDeps } from '../calls/access.ts';
import type { CallDeps } from '../calls/call-endpoint.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { StateChanges } from '../executions/live/state-changes.ts';
import type { SendProgress } from './progress.ts';
import type { HeldCall } from './sealed-state.ts';

export type RunEndpointDeps = {
  readonly changes: StateChanges;
  readonly executions: RunningExecutions;
  readonly keyUse: KeyUse;
  readonly linkTokens: LinkTokens;
  readonly openStreams: OpenStreams;
  readonly reportBug: (error: unknown) => string;
} & CallDeps &
  AccessDeps;

/** What the client of an agent can do, and how it is told of progress. */
export interface AgentSide {
  /** It can show a URL to its person, and asks again after that. */
  readonly canOpenUrls: boolean;
  /** It declared the extension for tasks, so it can poll for a result. */
  readonly canPoll: boolean;
  readonly sendProgress: SendProgress | undefined;
  /** The client gave up, or its connection broke. */
  readonly left: AbortSignal;
  /** The key of the agent stopped working: the answer ends, and the execution goes on (decision 44, sign-in). */
  readonly revoked: AbortSignal;
  /** A broken connection cancels the call: the revision 2026-07-28 says so. */
  readonly isCancelledByLeaving: boolean;
  /** From an earlier answer to this request. */
  readonly held: HeldCall | undefined;
}
