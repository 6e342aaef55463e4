import type { Accounts, Credentials, DeviceCodes, MailOutbox, SignInLinks } from './ports/accounts.ts';
import type { AgentDirectory } from './ports/agent-directory.ts';
import type { AgentJournals } from './ports/agent-journals.ts';
import type { KnownAgents } from './ports/agents.ts';
import type { AuditLog } from './ports/audit.ts';
import type { Endpoints } from './ports/endpoints.ts';
import type { ExecutionLedger, Hubs } from './ports/executions.ts';
import type { HostedHosts, HostedRecords, KnownHosts, RunnerTokens } from './ports/hosted.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Teams } from './ports/teams.ts';
import type { WorkspaceRemoval } from './ports/workspaces.ts';
import type { Clock, Random, Vault } from './ports/world.ts';

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
