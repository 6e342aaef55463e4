import type { KeyUse } from '../accounts/identify.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { DeviceCodes } from '../accounts/store/device-codes.ts';
import type { EmailChanges } from '../accounts/store/email-changes.ts';
import type { SignInLinks } from '../accounts/store/sign-in-links.ts';
import type { Usernames } from '../accounts/store/username-store.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { JournalMarks } from '../agents/journal-marks.ts';
import type { MovingAgents } from '../agents/moving-agents.ts';
import type { AgentJournals } from '../agents/store/agent-journals.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { AlertRules } from '../alerts/store/alert-rules.ts';
import type { ApprovalDeps } from '../approvals/approval-ports.ts';
import type { FailedAttempts } from '../approvals/failed-attempts.ts';
import type { Artifacts } from '../artifacts/store/artifact-store.ts';
import type { AuditLog } from '../audit/store/audit-store.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import type { ReconnectGracePeriods } from '../dispatch/reconnect-grace-periods.ts';
import type { EndpointGrants } from '../endpoint-grants/store/endpoint-grant-store.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { EventFeeds } from '../events/event-feeds.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { ChangeWaiters } from '../executions/live/change-waiters.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import type { OutputIndex } from '../executions/store/output-index.ts';
import type { OutputSearch } from '../executions/store/output-search.ts';
import type { TailReaders } from '../executions/tail/tail-readers.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import type { KnownHosts } from '../hosted/store/known-hosts.ts';
import type { RunnerTokens } from '../hosted/store/runner-tokens.ts';
import type { Identities } from '../identity/store/identity-store.ts';
import type { ProviderSessions } from '../identity/store/provider-session-store.ts';
import type { WorkspaceProviders } from '../identity/store/workspace-provider-store.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Grants } from '../oauth/store/grant-store.ts';
import type { Passkeys } from '../passkeys/store/passkey-store.ts';
import type { Graphs } from '../pipelines/runs/read-graph.ts';
import type { RunDriver } from '../pipelines/runs/run-driver.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { MailOutbox } from '../platform/mail/mail-outbox-store.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { ReadPacer } from '../platform/read-pacer.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { WorkspaceRemovals } from '../retention/delete-workspace.ts';
import type { WorkspaceRemoval } from '../retention/store/workspace-removal.ts';
import type { ScheduleDeps } from '../schedules/schedule-ports.ts';
import type { ScimDirectory } from '../scim/store/scim-store.ts';
import type { SecondFactorRules } from '../second-factor/store/second-factor-rules.ts';
import type { SecondFactors } from '../second-factor/store/second-factor-store.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import type { ServiceAccounts } from '../service-accounts/store/service-account-store.ts';
import type { Spool } from '../spool/spool.ts';
import type { MemberGroups } from '../teams/store/member-groups.ts';
import type { Teams } from '../teams/store/team-store.ts';

/**
 * The parts that handlers are built from. Each handler names the parts that it uses. Times are epoch milliseconds, UTC. A promise of
 * a store resolves after the commit. A store that cannot write throws `refuse('unavailable', …)`. With `maybe_stored` in its details
 * the write may be stored: a caller that must know reads it back.
 */
export interface HubContext extends ApprovalDeps, ScheduleDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly serviceAccounts: ServiceAccounts;
  readonly scim: ScimDirectory;
  readonly endpointGrants: EndpointGrants;
  readonly links: SignInLinks;
  readonly emailChanges: EmailChanges;
  readonly usernames: Usernames;
  readonly deviceCodes: DeviceCodes;
  readonly identities: Identities;
  readonly providerSessions: ProviderSessions;
  readonly workspaceProviders: WorkspaceProviders;
  readonly passkeys: Passkeys;
  readonly secondFactors: SecondFactors;
  readonly secondFactorRules: SecondFactorRules;
  readonly grants: Grants;
  readonly teams: Teams;
  readonly memberGroups: MemberGroups;
  readonly outbox: MailOutbox;
  readonly audit: AuditLog;
  readonly secrets: Secrets;
  readonly alertRules: AlertRules;
  readonly endpoints: Endpoints;
  readonly ledger: ExecutionLedger;
  readonly artifacts: Artifacts;
  readonly files: FileStore;
  readonly hubs: Hubs;
  readonly agents: AgentDirectory;
  readonly hosts: HostedHosts;
  readonly hosted: HostedRecords;
  readonly knownHosts: KnownHosts;
  readonly runnerTokens: RunnerTokens;
  readonly knownAgents: KnownAgents;
  /** The journal marks of agents and hosts. */
  readonly journals: AgentJournals;
  readonly workspaceRemoval: WorkspaceRemoval;
  /** This process, in the rows that it writes. */
  readonly hubId: string;
  readonly runs: PipelineRuns;
  readonly pipelines: Pipelines;
  readonly executions: RunningExecutions;
  /** Undefined without a bus. */
  readonly remoteHubs: RemoteHubs | undefined;
  readonly moving: MovingAgents;
  readonly queue: ExecutionQueue;
  /** The pipeline runs that this hub has. */
  readonly driver: RunDriver;
  readonly graphs: Graphs;
  readonly changes: ChangeWaiters;
  /** The live feeds of dashboards. */
  readonly eventFeeds: EventFeeds;
  readonly tailReaders: TailReaders;
  readonly outputSearch: OutputSearch;
  readonly outputIndex: OutputIndex;
  readonly linkTokens: LinkTokens;
  readonly failedAttempts: FailedAttempts;
  readonly openStreams: OpenStreams;
  readonly keyUse: KeyUse;
  readonly removals: WorkspaceRemovals;
  readonly mutex: KeyedMutex;
  readonly gracePeriods: ReconnectGracePeriods;
  readonly journalMarks: JournalMarks;
  readonly lookups: CallLookups;
  readonly limiter: RateLimiter;
  readonly readPacer: ReadPacer;
  /** The bodies of calls that wait for approval. */
  readonly spool: Spool;
  readonly settings: Settings;
  /** A connection on which a command runs may be silent as long as the command. */
  readonly keepOpen: (request: Request) => void;
  /** The address of the caller, as trusted proxies report it. */
  readonly addressOf: (request: Request) => string;
  /** Logs the error, and returns the id of the log entry. */
  readonly reportBug: (error: unknown) => string;
}
