import type { AuditEntry } from '@svc/core/audit/entry';
import type {
  Accounts,
  Credentials,
  DeviceCodes,
  MailOutbox,
  SignInLinks,
} from '../engine/ports/accounts.ts';
import type { AgentJournals } from '../engine/ports/agent-journals.ts';
import type { KnownAgents } from '../engine/ports/agents.ts';
import type { AgentPresences, AlertOutbox, AlertRules, QuotaMarks } from '../engine/ports/alerts.ts';
import type { Approvals } from '../engine/ports/approvals.ts';
import type { AuditLog } from '../engine/ports/audit.ts';
import type { Endpoints } from '../engine/ports/endpoints.ts';
import type { ExecutionLedger, Hubs } from '../engine/ports/executions.ts';
import type { HostedRecords, KnownHosts, RunnerTokens } from '../engine/ports/hosted.ts';
import type { PipelineRuns } from '../engine/ports/pipeline-runs.ts';
import type { Pipelines } from '../engine/ports/pipelines.ts';
import type { Schedules } from '../engine/ports/schedules.ts';
import type { SealedTexts, Secrets } from '../engine/ports/secrets.ts';
import type { Teams } from '../engine/ports/teams.ts';
import type { WorkspaceRemoval } from '../engine/ports/workspaces.ts';
import type { Vault } from '../engine/ports/world.ts';
import { AccessTokens } from './accounts/access-tokens.ts';
import { StoredAccounts } from './accounts/accounts.ts';
import { StoredCredentials } from './accounts/credentials.ts';
import { StoredDeviceCodes } from './accounts/device-codes.ts';
import { StoredSignInLinks } from './accounts/sign-in-links.ts';
import { StoredAgentJournals } from './agents/agent-journals.ts';
import { StoredAgents } from './agents/known-agents.ts';
import { StoredAgentPresences } from './alerts/agent-presences.ts';
import { StoredAlertOutbox } from './alerts/alert-outbox.ts';
import { StoredAlertRules } from './alerts/alert-rules.ts';
import { StoredQuotaMarks } from './alerts/quota-marks.ts';
import { ToldEvents } from './alerts/told-events.ts';
import { StoredApprovals } from './approvals/approvals.ts';
import { StoredAuditLog } from './audit/audit-log.ts';
import { AuditTrail } from './audit/audit-trail.ts';
import { DamageWatch } from './damage.ts';
import type { EndpointOf } from './endpoints/definitions.ts';
import { StoredEndpoints } from './endpoints/endpoints.ts';
import { Acceptor } from './executions/accept.ts';
import { EarlierCounts } from './executions/count-earlier.ts';
import { CountFolding } from './executions/fold-counts.ts';
import { Idempotency } from './executions/idempotency.ts';
import { StoredLedger } from './executions/ledger.ts';
import { Output } from './executions/output.ts';
import { Quota } from './executions/quota.ts';
import { Transitions } from './executions/transitions.ts';
import { type Health, HealthProbe } from './health.ts';
import { StoredHosted } from './hosted/hosted-records.ts';
import { StoredHosts } from './hosted/known-hosts.ts';
import { HostedPlaces } from './hosted/places.ts';
import { StoredRunnerTokens } from './hosted/runner-tokens.ts';
import { StoredHubs } from './hubs.ts';
import { StoredMailOutbox } from './mail-outbox.ts';
import type { CheckDepth, StoreFigures } from './open-database.ts';
import { StoredPipelineRuns } from './pipeline-runs/pipeline-runs.ts';
import { StoredPipelines } from './pipelines/pipelines.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import { Retention } from './retention.ts';
import { StoredSchedules } from './schedules/schedules.ts';
import { StoredSealedTexts } from './secrets/sealed-texts.ts';
import { StoredSecrets } from './secrets/secrets.ts';
import { openSqlite, type SqliteLocation } from './sqlite/open-sqlite.ts';
import { StoredTeams } from './team/teams.ts';
import type { OnCommit } from './unit/group-commit.ts';
import { watched } from './watched-database.ts';
import { StoredWorkspaceRemoval } from './workspaces/workspace-removal.ts';

export type StoreLocation =
  | ({ readonly kind: 'sqlite' } & SqliteLocation)
  | { readonly kind: 'postgres'; readonly url: string; readonly onCommit?: OnCommit | undefined };

export interface StoreOptions {
  readonly endpointOf: EndpointOf;
  /** Seals what is secret in what it stores by itself; the rest comes sealed. */
  readonly vault: Vault;
  /** Ids of new endpoints; default: UUIDs of version 7. */
  readonly newId?: () => string;
  /** Hears of each entry of an audit log, after its commit. */
  readonly onAudited?: (entry: AuditEntry) => void;
  /** Called once with the first error that shows damage. */
  readonly onDamage?: (reason: string) => void;
}

/** Everything that outlives a process of the hub. Disposing of it waits for what was asked of it before. */
export interface Store extends AsyncDisposable {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly signInLinks: SignInLinks;
  readonly deviceCodes: DeviceCodes;
  readonly mailOutbox: MailOutbox;
  readonly teams: Teams;
  readonly endpoints: Endpoints;
  readonly pipelines: Pipelines;
  readonly pipelineRuns: PipelineRuns;
  readonly schedules: Schedules;
  readonly executions: ExecutionLedger;
  readonly approvals: Approvals;
  readonly hubs: Hubs;
  readonly agents: KnownAgents;
  readonly agentJournals: AgentJournals;
  readonly hosted: HostedRecords;
  readonly hosts: KnownHosts;
  readonly runnerTokens: RunnerTokens;
  readonly workspaceRemoval: WorkspaceRemoval;
  readonly audit: AuditLog;
  readonly secrets: Secrets;
  readonly sealedTexts: SealedTexts;
  readonly alertRules: AlertRules;
  readonly alertOutbox: AlertOutbox;
  readonly agentPresences: AgentPresences;
  readonly quotaMarks: QuotaMarks;
  /** Whether it can write just now. */
  health(): Promise<Health>;
  /** The first error that showed damage, in a read, a write or a check; undefined: none. */
  readonly damage: string | undefined;
  /** Checks for damage while the store works; returns a sentence for each finding. */
  check(depth: CheckDepth): Promise<readonly string[]>;
  /** Removes what is kept no longer, and returns how many executions that were. */
  sweep(nowMs: number, signal?: AbortSignal): Promise<number>;
  /** Counts what ended before statistics were counted at the end of executions (decision 63). */
  countEarlier(signal?: AbortSignal): Promise<void>;
  /** Adds the ends that were noted since the last time to the counts of statistics. */
  foldCounts(signal?: AbortSignal): Promise<void>;
  /** A consistent copy of everything, while it goes on working; only of SQLite. */
  backup(toFile: string): Promise<void>;
  readonly figures: StoreFigures;
}

/** Opens the store and brings its schema up to this program. Throws `unavailable` when it cannot be written now. */
export async function createStore(
  location: StoreLocation,
  { endpointOf, vault, onAudited, onDamage = () => undefined, newId = Bun.randomUUIDv7 }: StoreOptions,
): Promise<Store> {
  const opened =
    location.kind === 'sqlite'
      ? await openSqlite(location)
      : await openPostgres(location.url, location.onCommit);
  const damage = new DamageWatch(onDamage);
  const database = watched(opened, damage, location.kind === 'sqlite');
  const probe = new HealthProbe(database);
  const earlier = new EarlierCounts(database);
  const folding = new CountFolding(database);
  const retention = new Retention(database);
  const trail = new AuditTrail(database, onAudited);
  const mailOutbox = new StoredMailOutbox(database, vault);
  const quota = new Quota(database);
  const places = new HostedPlaces(database, quota);
  const idempotency = new Idempotency(database);
  const acceptor = new Acceptor(database, quota, idempotency, places);
  const events = new ToldEvents(database);
  const transitions = new Transitions(database, { output: new Output(database), quota, events });
  return {
    accounts: new StoredAccounts(database, trail),
    credentials: new StoredCredentials(database, trail),
    signInLinks: new StoredSignInLinks(database, mailOutbox),
    deviceCodes: new StoredDeviceCodes(database, trail, new AccessTokens(database, trail)),
    mailOutbox,
    teams: new StoredTeams(database, { trail, mails: mailOutbox }),
    endpoints: new StoredEndpoints(database, { trail, endpointOf, newId: () => newId() }),
    pipelines: new StoredPipelines(database, trail),
    pipelineRuns: new StoredPipelineRuns(database, { quota, idempotency, events }),
    schedules: new StoredSchedules(database, { trail, quota, events }),
    executions: new StoredLedger(database, events),
    approvals: new StoredApprovals(database, { trail, acceptor, quota, events }),
    hubs: new StoredHubs(database),
    agents: new StoredAgents(database),
    agentJournals: new StoredAgentJournals(database, events),
    hosted: new StoredHosted(database, { places, transitions, trail }),
    hosts: new StoredHosts(database),
    runnerTokens: new StoredRunnerTokens(database),
    workspaceRemoval: new StoredWorkspaceRemoval(database, trail),
    audit: new StoredAuditLog(database),
    secrets: new StoredSecrets(database, trail),
    sealedTexts: new StoredSealedTexts(database),
    alertRules: new StoredAlertRules(database, trail),
    alertOutbox: new StoredAlertOutbox(database, { events, mails: mailOutbox }),
    agentPresences: new StoredAgentPresences(database, events),
    quotaMarks: new StoredQuotaMarks(database, events),
    health: () => probe.check(),
    get damage() {
      return damage.reason;
    },
    check: (depth) => database.check(depth),
    sweep: (nowMs, signal) => retention.sweep(nowMs, signal),
    countEarlier: (signal) => earlier.count(signal),
    foldCounts: (signal) => folding.fold(signal),
    backup: (toFile) => database.backup(toFile),
    get figures() {
      return database.figures;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
