import { Accounts } from '../accounts/store/account-store.ts';
import { Credentials } from '../accounts/store/credentials.ts';
import { DeviceCodes } from '../accounts/store/device-codes.ts';
import { EmailChanges } from '../accounts/store/email-changes.ts';
import { SignInLinks } from '../accounts/store/sign-in-links.ts';
import { Usernames } from '../accounts/store/username-store.ts';
import { AgentJournals } from '../agents/store/agent-journals.ts';
import { KnownAgents } from '../agents/store/agent-store.ts';
import { AgentPresences } from '../alerts/store/agent-presences.ts';
import { AlertOutbox } from '../alerts/store/alert-outbox.ts';
import { AlertRules } from '../alerts/store/alert-rules.ts';
import { MissingSuccesses } from '../alerts/store/missing-successes.ts';
import { PublishedEvents } from '../alerts/store/published-events.ts';
import { QuotaMarks } from '../alerts/store/quota-marks.ts';
import type { Approvals } from '../approvals/approval-ports.ts';
import { StoredApprovals } from '../approvals/store/approval-store.ts';
import { Artifacts } from '../artifacts/store/artifact-store.ts';
import { AuditLog } from '../audit/store/audit-store.ts';
import { AuditWriter } from '../audit/store/audit-writer.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import { StoredHubs } from '../cluster/hub-store.ts';
import { EndpointGrants } from '../endpoint-grants/store/endpoint-grant-store.ts';
import type { EndpointOf } from '../endpoints/store/definitions.ts';
import { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { indexedLines } from '../executions/indexed-lines.ts';
import { EarlierCounts } from '../executions/store/count-earlier.ts';
import { Acceptor, StoredLedger } from '../executions/store/execution-store.ts';
import { CountFolding } from '../executions/store/fold-counts.ts';
import { HostedSlots } from '../executions/store/hosted-places.ts';
import { Idempotency } from '../executions/store/idempotency.ts';
import { Listing } from '../executions/store/listing.ts';
import { Output } from '../executions/store/output.ts';
import { OutputIndex } from '../executions/store/output-index.ts';
import { OutputSearch } from '../executions/store/output-search.ts';
import { CountPacking } from '../executions/store/packed-counts.ts';
import { Quota } from '../executions/store/quota.ts';
import { Transitions } from '../executions/store/transitions.ts';
import { HostedRecords } from '../hosted/store/hosted-records.ts';
import { KnownHosts } from '../hosted/store/known-hosts.ts';
import { RunnerTokens } from '../hosted/store/runner-tokens.ts';
import { Identities } from '../identity/store/identity-store.ts';
import { ProviderSessions } from '../identity/store/provider-session-store.ts';
import { WorkspaceProviders } from '../identity/store/workspace-provider-store.ts';
import { Grants } from '../oauth/store/grant-store.ts';
import { Passkeys } from '../passkeys/store/passkey-store.ts';
import { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import { Pipelines } from '../pipelines/store/pipeline-store.ts';
import { DamageWatch, watched } from '../platform/db/damage.ts';
import type { CheckDepth, StoreFigures } from '../platform/db/database.ts';
import { type Health, HealthProbe } from '../platform/db/health.ts';
import { openPostgres } from '../platform/db/postgres/open-postgres.ts';
import { publishing } from '../platform/db/publishing-database.ts';
import { openSqlite, type SqliteLocation } from '../platform/db/sqlite/open-sqlite.ts';
import { EventStream } from '../platform/event-stream.ts';
import { MailOutbox } from '../platform/mail/mail-outbox-store.ts';
import type { Vault } from '../platform/world.ts';
import { Retention } from '../retention/store/retention.ts';
import { WorkspaceRemoval } from '../retention/store/workspace-removal.ts';
import type { Schedules } from '../schedules/schedule-ports.ts';
import { StoredSchedules } from '../schedules/store/schedule-store.ts';
import { ScimDirectory } from '../scim/store/scim-store.ts';
import { SecondFactorRules } from '../second-factor/store/second-factor-rules.ts';
import { SecondFactors } from '../second-factor/store/second-factor-store.ts';
import { SealedTexts } from '../secrets/store/sealed-texts.ts';
import { Secrets } from '../secrets/store/secret-store.ts';
import { ServiceAccounts } from '../service-accounts/store/service-account-store.ts';
import { MemberGroups } from '../teams/store/member-groups.ts';
import { Teams } from '../teams/store/team-store.ts';

export type StoreLocation =
  | ({ readonly kind: 'sqlite' } & Omit<SqliteLocation, 'onCommit'>)
  | { readonly kind: 'postgres'; readonly url: string };

export interface StoreOptions {
  readonly endpointOf: EndpointOf;
  /** Seals the secrets that the store writes by itself; all others arrive sealed. */
  readonly vault: Vault;
  /** Ids of new endpoints; default: UUIDs of version 7. */
  readonly newId?: () => string;
  /** Receives the events of each unit after its commit; default: a stream without subscribers. */
  readonly events?: EventStream;
  /** Called once with the first error that shows damage. */
  readonly onDamage?: (reason: string) => void;
}

/** Everything that outlives a process of the hub. Disposing waits for the operations that were requested before. */
export interface Store extends AsyncDisposable {
  readonly accounts: Accounts;
  readonly usernames: Usernames;
  readonly credentials: Credentials;
  readonly serviceAccounts: ServiceAccounts;
  readonly scim: ScimDirectory;
  readonly endpointGrants: EndpointGrants;
  readonly signInLinks: SignInLinks;
  readonly emailChanges: EmailChanges;
  readonly deviceCodes: DeviceCodes;
  readonly identities: Identities;
  readonly providerSessions: ProviderSessions;
  readonly workspaceProviders: WorkspaceProviders;
  readonly passkeys: Passkeys;
  readonly secondFactors: SecondFactors;
  readonly secondFactorRules: SecondFactorRules;
  readonly grants: Grants;
  readonly mailOutbox: MailOutbox;
  readonly teams: Teams;
  readonly memberGroups: MemberGroups;
  readonly endpoints: Endpoints;
  readonly pipelines: Pipelines;
  readonly pipelineRuns: PipelineRuns;
  readonly schedules: Schedules;
  readonly executions: ExecutionLedger;
  readonly approvals: Approvals;
  readonly artifacts: Artifacts;
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
  readonly missingSuccesses: MissingSuccesses;
  readonly outputSearch: OutputSearch;
  readonly outputIndex: OutputIndex;
  /** Whether it can write just now. */
  health(): Promise<Health>;
  /** The first error that showed damage, in a read, a write or a check; undefined: none. */
  readonly damage: string | undefined;
  /** Checks for damage while the store works; returns one sentence for each problem. */
  check(depth: CheckDepth): Promise<readonly string[]>;
  /** Removes records past their retention, and returns the number of removed executions. */
  sweep(nowMs: number, signal?: AbortSignal): Promise<number>;
  /** Counts executions that ended before statistics were counted at the end of executions (decision 63, statistics). */
  countEarlier(signal?: AbortSignal): Promise<void>;
  /** Adds the ends noted since the last call to the counts of statistics. */
  foldCounts(signal?: AbortSignal): Promise<void>;
  /** Packs the counts of hours and days that are over, so that statistics find few rows; PostgreSQL only. */
  packCounts(signal?: AbortSignal): Promise<void>;
  /** Makes a consistent copy of the store while it works; SQLite only. */
  backup(toFile: string): Promise<void>;
  readonly figures: StoreFigures;
}

/** Opens the store and migrates its schema to this program. Throws `unavailable` when it cannot be written at present. */
export async function createStore(
  location: StoreLocation,
  {
    endpointOf,
    vault,
    events: stream = new EventStream(() => undefined),
    onDamage = () => undefined,
    newId = Bun.randomUUIDv7,
  }: StoreOptions,
): Promise<Store> {
  const onCommit = (writes: number, durationMs: number) =>
    stream.publish({ kind: 'group_committed', writes, durationMs });
  const opened =
    location.kind === 'sqlite'
      ? await openSqlite({ ...location, onCommit })
      : await openPostgres(location.url, onCommit);
  const damage = new DamageWatch(onDamage);
  const open = watched(opened, damage, location.kind === 'sqlite');
  const database = publishing(open, stream);
  const probe = new HealthProbe(database);
  const earlier = new EarlierCounts(database);
  const folding = new CountFolding(database);
  const packing = new CountPacking(database);
  const retention = new Retention(database);
  const auditWriter = new AuditWriter(database);
  const credentials = new Credentials(database, auditWriter);
  const mailOutbox = new MailOutbox(database, vault);
  const passkeys = new Passkeys(database, { auditWriter, credentials, mails: mailOutbox });
  const quota = new Quota(database);
  const places = new HostedSlots(database, quota);
  const idempotency = new Idempotency(database);
  const acceptor = new Acceptor(database, quota, idempotency, places);
  const accounts = new Accounts(database, auditWriter);
  const events = new PublishedEvents(database);
  const ledger = new StoredLedger(database, events);
  const transitions = new Transitions(database, { output: new Output(database), quota, events });
  const serviceAccounts = new ServiceAccounts(database, { auditWriter, credentials });
  const teams = new Teams(database, { auditWriter, mails: mailOutbox });
  const endpoints = new Endpoints(database, { auditWriter, endpointOf, newId: () => newId() });
  const pipelines = new Pipelines(database, auditWriter);
  const memberGroups = new MemberGroups(database, auditWriter);
  const granted = { auditWriter, endpoints, memberGroups, pipelines, serviceAccounts, teams };
  return {
    accounts,
    usernames: new Usernames(database, auditWriter),
    credentials,
    serviceAccounts,
    scim: new ScimDirectory(database, auditWriter),
    endpointGrants: new EndpointGrants(database, granted),
    signInLinks: new SignInLinks(database, mailOutbox),
    emailChanges: new EmailChanges(database, { auditWriter, mails: mailOutbox }),
    deviceCodes: new DeviceCodes(database, auditWriter, credentials),
    identities: new Identities(database, auditWriter, accounts),
    providerSessions: new ProviderSessions(database, auditWriter, credentials),
    workspaceProviders: new WorkspaceProviders(database, auditWriter),
    passkeys,
    secondFactorRules: new SecondFactorRules(database, auditWriter),
    secondFactors: new SecondFactors(database, { auditWriter, credentials, mails: mailOutbox, passkeys }),
    grants: new Grants(database, { auditWriter, credentials }),
    mailOutbox,
    teams,
    memberGroups,
    endpoints,
    pipelines,
    pipelineRuns: new PipelineRuns(database, { quota, idempotency, events }),
    schedules: new StoredSchedules(database, { auditWriter, quota, events }),
    executions: ledger,
    outputSearch: new OutputSearch(database, new Listing(database)),
    outputIndex: new OutputIndex(database, (id, lastSeq) => indexedLines(ledger, id, lastSeq)),
    approvals: new StoredApprovals(database, { auditWriter, acceptor, quota, events, passkeys }),
    artifacts: new Artifacts(database),
    hubs: new StoredHubs(database),
    agents: new KnownAgents(database),
    agentJournals: new AgentJournals(database, events),
    hosted: new HostedRecords(database, { places, transitions, auditWriter }),
    hosts: new KnownHosts(database),
    runnerTokens: new RunnerTokens(database),
    workspaceRemoval: new WorkspaceRemoval(database, auditWriter),
    audit: new AuditLog(database),
    secrets: new Secrets(database, auditWriter),
    sealedTexts: new SealedTexts(database),
    alertRules: new AlertRules(database, auditWriter),
    alertOutbox: new AlertOutbox(database, { events, mails: mailOutbox }),
    agentPresences: new AgentPresences(database, events),
    quotaMarks: new QuotaMarks(database, events),
    missingSuccesses: new MissingSuccesses(database, events),
    health: () => probe.check(),
    get damage() {
      return damage.reason;
    },
    check: (depth) => open.check(depth),
    sweep: (nowMs, signal) => retention.sweep(nowMs, signal),
    countEarlier: (signal) => earlier.count(signal),
    foldCounts: (signal) => folding.fold(signal),
    packCounts: (signal) => packing.pack(signal),
    backup: (toFile) => open.backup(toFile),
    get figures() {
      return open.figures;
    },
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}
