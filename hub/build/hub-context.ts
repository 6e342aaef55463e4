import type { KeyUse } from '../accounts/key-use.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { JournalMarks } from '../agents/journal-marks.ts';
import type { ApprovalPorts } from '../approvals/approval-ports.ts';
import type { NotedTries } from '../approvals/failed-attempts.ts';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import type { ReconnectGracePeriods } from '../dispatch/reconnect-grace-periods.ts';
import type { EventFeeds } from '../events/event-feeds.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { StateChanges } from '../executions/live/state-changes.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import type { HostedQueue } from '../hosted/hosted-queue.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Graphs } from '../pipelines/runs/read-graph.ts';
import type { RunDriver } from '../pipelines/runs/run-driver.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { ReadPacer } from '../platform/read-pacer.ts';
import type { Settings } from '../platform/settings.ts';
import type { WorkspaceRemovals } from '../retention/delete-workspace.ts';
import type { SchedulePorts } from '../schedules/schedule-ports.ts';
import type { Ports } from './ports.ts';

/** What handlers are built from; each names the parts that it uses. */
export interface HubContext extends Ports, ApprovalPorts, SchedulePorts {
  readonly runs: PipelineRuns;
  readonly pipelines: Pipelines;
  readonly executions: RunningExecutions;
  /** Other hubs, as far as they are asked; undefined: there is no bus. */
  readonly elsewhere: RemoteHubs | undefined;
  readonly queue: ExecutionQueue;
  /** The pipeline runs that this hub has. */
  readonly driver: RunDriver;
  readonly graphs: Graphs;
  /** Who waits for the hosted runner. */
  readonly line: HostedQueue;
  readonly changes: StateChanges;
  /** What dashboards hear of. */
  readonly eventFeeds: EventFeeds;
  readonly linkTokens: LinkTokens;
  readonly notedTries: NotedTries;
  readonly openStreams: OpenStreams;
  readonly keyUse: KeyUse;
  readonly removals: WorkspaceRemovals;
  readonly turns: KeyedMutex;
  readonly absences: ReconnectGracePeriods;
  readonly journalMarks: JournalMarks;
  readonly lookups: CallLookups;
  readonly limiter: RateLimiter;
  readonly readPacer: ReadPacer;
  readonly settings: Settings;
  /** A connection on which a command runs may be silent for as long as the command is. */
  readonly keepOpen: (request: Request) => void;
  /** The address that the request came from, as far as the proxies that are trusted say. */
  readonly addressOf: (request: Request) => string;
  /** Logs it; answers with the id under which the log has it. */
  readonly reportBug: (error: unknown) => string;
}
