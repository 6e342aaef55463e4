import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { DeviceCodes } from '../accounts/store/device-codes.ts';
import type { SignInLinks } from '../accounts/store/sign-in-links.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { AgentJournals } from '../agents/store/agent-journals.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { AuditLog } from '../audit/store/audit-store.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import type { KnownHosts } from '../hosted/store/known-hosts.ts';
import type { RunnerTokens } from '../hosted/store/runner-tokens.ts';
import type { MailOutbox } from '../platform/mail/mail-outbox-store.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { WorkspaceRemoval } from '../retention/store/workspace-removal.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import type { Teams } from '../teams/store/team-store.ts';

// What the use cases need from the world. Each port is owned here and built in hub/main.ts. Times are epoch milliseconds, UTC;
// a promise of a store settles after the commit; a store that cannot write throws `refuse('unavailable', …)`.
// With `maybe_stored` in its details only the answer was lost, perhaps not the write: who must know reads.

/** Everything at once, as hub/main.ts builds it; a use case takes the ones that it needs. */
export interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly links: SignInLinks;
  readonly deviceCodes: DeviceCodes;
  readonly teams: Teams;
  readonly outbox: MailOutbox;
  readonly audit: AuditLog;
  readonly secrets: Secrets;
  readonly endpoints: Endpoints;
  readonly ledger: ExecutionLedger;
  readonly hubs: Hubs;
  readonly agents: AgentDirectory;
  readonly hosts: HostedHosts;
  readonly hosted: HostedRecords;
  readonly knownHosts: KnownHosts;
  readonly runnerTokens: RunnerTokens;
  readonly knownAgents: KnownAgents;
  /** How far their journals have come. */
  readonly journals: AgentJournals;
  readonly workspaceRemoval: WorkspaceRemoval;
  /** This process, in the rows that it writes. */
  readonly hubId: string;
}
