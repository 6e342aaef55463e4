import type { KeyUse } from '../engine/account/key-use.ts';
import type { LinkTokens } from '../engine/account/link-token.ts';
import type { Absences } from '../engine/agent/absences.ts';
import type { Bell } from '../engine/alert/bell.ts';
import type { CallLookups } from '../engine/cached/caches.ts';
import type { ExecutionQueue } from '../engine/execution/queue.ts';
import type { OpenStreams } from '../engine/live/open-streams.ts';
import type { RunningExecutions } from '../engine/live/running-executions.ts';
import type { StateChanges } from '../engine/live/state-changes.ts';
import type { ApprovalPorts } from '../engine/ports/approvals.ts';
import type { SchedulePorts } from '../engine/ports/schedules.ts';
import type { Ports } from '../engine/ports.ts';
import type { RateLimiter } from '../engine/rate-limiter.ts';
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
  readonly trustedProxies: readonly string[];
}

/** Calls per minute; undefined: as the plan says; `off`: not limited (decision 26). */
export interface RateSettings {
  readonly key: number | 'off' | undefined;
  readonly public: number | 'off' | undefined;
  readonly signIn: number | 'off' | undefined;
}

/** What handlers are built from; each names the parts that it uses. */
export interface HubContext extends Ports, ApprovalPorts, SchedulePorts {
  readonly executions: RunningExecutions;
  readonly queue: ExecutionQueue;
  /** Rung by whoever has told something (decision 39). */
  readonly bell: Bell;
  readonly changes: StateChanges;
  readonly linkTokens: LinkTokens;
  readonly openStreams: OpenStreams;
  readonly keyUse: KeyUse;
  readonly removals: WorkspaceRemovals;
  readonly turns: Turns;
  readonly absences: Absences;
  readonly lookups: CallLookups;
  readonly limiter: RateLimiter;
  readonly settings: Settings;
  /** A connection on which a command runs may be silent for as long as the command is. */
  readonly keepOpen: (request: Request) => void;
  /** The address that the request came from, as far as the proxies that are trusted say. */
  readonly addressOf: (request: Request) => string;
  /** Logs it; answers with the id under which the log has it. */
  readonly reportBug: (error: unknown) => string;
}
