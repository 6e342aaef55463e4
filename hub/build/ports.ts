import type { Accounts, Credentials, DeviceCodes, SignInLinks } from '../accounts/account-ports.ts';
import type { KnownAgents } from '../agents/agent-ports.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { AgentJournals } from '../agents/journal-ports.ts';
import type { AuditLog } from '../audit/audit-ports.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import type { Endpoints } from '../endpoints/endpoint-ports.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { HostedHosts, HostedRecords, KnownHosts, RunnerTokens } from '../hosted/hosted-ports.ts';
import type { MailOutbox } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { Secrets } from '../secrets/secret-ports.ts';
import type { Teams } from '../teams/team-ports.ts';
import type { WorkspaceRemoval } from '../workspaces/workspace-ports.ts';

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
