import type { Network } from '@svc/core/alert/address';
import type { KeyUse } from '../engine/account/key-use.ts';
import type { LinkTokens } from '../engine/account/link-token.ts';
import type { Absences } from '../engine/agent/absences.ts';
import type { JournalMarks } from '../engine/agent/journal-marks.ts';
import type { Bell } from '../engine/alert/bell.ts';
import type { NotedTries } from '../engine/approval/noted-tries.ts';
import type { CallLookups } from '../engine/cached/caches.ts';
import type { Elsewhere } from '../engine/cluster/elsewhere.ts';
import type { ExecutionQueue } from '../engine/execution/queue.ts';
import type { HostedLine } from '../engine/hosted/hosted-line.ts';
import type { OpenStreams } from '../engine/live/open-streams.ts';
import type { RunningExecutions } from '../engine/live/running-executions.ts';
import type { StateChanges } from '../engine/live/state-changes.ts';
import type { Newsroom } from '../engine/news/newsroom.ts';
import type { Graphs } from '../engine/pipeline/read-graph.ts';
import type { RunDriver } from '../engine/pipeline/run-driver.ts';
import type { ApprovalPorts } from '../engine/ports/approvals.ts';
import type { PipelineRunPorts } from '../engine/ports/pipeline-runs.ts';
import type { PipelinePorts } from '../engine/ports/pipelines.ts';
import type { SchedulePorts } from '../engine/ports/schedules.ts';
import type { Ports } from '../engine/ports.ts';
import type { RateLimiter } from '../engine/rate-limiter.ts';
import type { ReadPacer } from '../engine/read-pacer.ts';
import type { Turns } from '../engine/turns.ts';
import type { WorkspaceRemovals } from '../engine/workspace/delete-workspace.ts';

/** What an operator decides (decision 54), as far as answers depend on it. */
export interface Settings {
  readonly version: string;
  /** Where the pages and the management API are, without a slash at the end. */
  readonly hubUrl: string;
  /** Where endpoints are called. */
  readonly baseUrl: string;
  readonly forwardCapSec: number;
  readonly rates: RateSettings;
  readonly signup: 'open' | 'invited';
  /** E-mail addresses, in lower case. */
  readonly operators: readonly string[];
  readonly trustedProxies: readonly Network[];
}

/** Calls per minute; undefined: as the plan says; `off`: not limited (decision 26). */
export interface RateSettings {
  readonly key: number | 'off' | undefined;
  readonly public: number | 'off' | undefined;
  readonly signIn: number | 'off' | undefined;
}

/** What handlers are built from; each names the parts that it uses. */
export interface HubContext extends Ports, ApprovalPorts, PipelinePorts, PipelineRunPorts, SchedulePorts {
  readonly executions: RunningExecutions;
  /** Other hubs, as far as they are asked; undefined: there is no bus. */
  readonly elsewhere: Elsewhere | undefined;
  readonly queue: ExecutionQueue;
  /** The pipeline runs that this hub has. */
  readonly driver: RunDriver;
  readonly graphs: Graphs;
  /** Who waits for the hosted runner. */
  readonly line: HostedLine;
  /** Rung by whoever has told something (decision 39). */
  readonly bell: Bell;
  readonly changes: StateChanges;
  /** What dashboards hear of. */
  readonly newsroom: Newsroom;
  readonly linkTokens: LinkTokens;
  readonly notedTries: NotedTries;
  readonly openStreams: OpenStreams;
  readonly keyUse: KeyUse;
  readonly removals: WorkspaceRemovals;
  readonly turns: Turns;
  readonly absences: Absences;
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
