import type { AlertEvent } from '@svc/core/alert/event';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { Endpoint } from '@svc/core/endpoint/definition';
import type { Overrides } from '@svc/core/endpoint/managed/overrides';
import type { ExecutionState, Reason } from '@svc/core/execution/state';
import type { Accounts, Credentials, DeviceCodes, MailOutbox, SignInLinks } from './ports/accounts.ts';
import type { KnownAgents } from './ports/agents.ts';
import type { AuditLog } from './ports/audit.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Teams } from './ports/teams.ts';
import type { WorkspaceRemoval, WorkspaceUse } from './ports/workspaces.ts';

// What the use cases need from the world. Each port is owned here and built in hub/main.ts. Times are epoch milliseconds, UTC;
// a promise of a store settles after the commit; a store that cannot write throws `refuse('unavailable', …)`.
// With `maybe_stored` in its details only the answer was lost, perhaps not the write: who must know reads.

export interface Clock {
  nowMs(): number;
  /** Calls `action` once at `atMs` or as soon after as possible; the returned function withdraws it. */
  at(atMs: number, action: () => void): () => void;
}

export interface Random {
  /** A UUID version 7 (RFC 9562): ids sort by the time at which they were made. */
  uuid(): string;
  bytes(count: number): Uint8Array;
}

/** What a sealed value belongs to: it opens there and nowhere else. */
export interface SealedFor {
  readonly workspaceId: string;
  readonly kind:
    | 'arguments'
    | 'request'
    | 'secret'
    | 'mail'
    | 'alert_target'
    | 'alert_secret'
    | 'alert_link'
    | 'callback_secret';
  readonly id: string;
}

/** Values that are secret, as the store has them. */
export interface Vault {
  seal(plain: string, owner: SealedFor): string;
  /** Throws for a text that was changed, or belongs to something else, or to another master key. */
  open(sealed: string, owner: SealedFor): string;
}

// ── Endpoints ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** An endpoint as it is registered: its definition with overrides applied, and where it comes from. */
export interface RegisteredEndpoint {
  readonly id: string;
  readonly workspaceId: string;
  readonly source: 'config' | 'api';
  /** The agent name that registered it, for `config` (decision 31). */
  readonly registeredBy: string | undefined;
  /** SHA-256 of the canonical definition, hex: what an agent is asked to run (decision 32). */
  readonly definitionHash: string;
  readonly version: number;
  /** With its overrides applied. */
  readonly endpoint: Endpoint;
  /** The wire form, JSON, of what the hash is of: without the overrides. */
  readonly definition: string;
  /** What holds instead of fields of the file (decision 33). */
  readonly overrides: Overrides;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** What an endpoint was from one change to the next; it outlives the endpoint. */
export interface EndpointVersion {
  readonly version: number;
  readonly source: RegisteredEndpoint['source'];
  readonly definitionHash: string;
  readonly definition: string;
  readonly overrides: Overrides;
  readonly createdAtMs: number;
}

/** An endpoint of the API as it is to be stored, or the next version of any. */
export interface EndpointDraft {
  readonly slug: string;
  readonly definitionHash: string;
  readonly definition: string;
  readonly overrides: Overrides;
}

export type EndpointStored = 'stored' | 'slug_taken';

/** What one agent announces for one of its endpoints. `definition` is its wire form: the object of svc.yaml. */
export interface Announced {
  readonly slug: string;
  readonly definitionHash: string;
  readonly definition: string;
}

export interface Registration {
  readonly registered: readonly RegisteredEndpoint[];
  readonly refused: readonly { readonly slug: string; readonly reason: string }[];
}

export interface Endpoints {
  find(workspaceId: string, slug: string): Promise<RegisteredEndpoint | undefined>;
  byId(id: string): Promise<RegisteredEndpoint | undefined>;
  /** Those that are there, by id. */
  byIds(ids: readonly string[]): Promise<ReadonlyMap<string, RegisteredEndpoint>>;
  list(workspaceId: string): Promise<RegisteredEndpoint[]>;
  /** Makes one of the API, with its entry of the audit log. */
  create(id: string, draft: EndpointDraft, entry: AuditEntry): Promise<EndpointStored>;
  /** The next version, with its entry; compare-and-set on the version that the change was decided on. */
  change(
    from: RegisteredEndpoint,
    to: EndpointDraft,
    entry: AuditEntry,
  ): Promise<EndpointStored | 'overtaken'>;
  /** Removes it, with its entry, in the same way; its versions stay. */
  remove(from: RegisteredEndpoint, entry: AuditEntry): Promise<'stored' | 'overtaken'>;
  /** All versions of an endpoint, whether it is there or not, the newest first. */
  versions(endpointId: string): Promise<EndpointVersion[]>;
  version(endpointId: string, version: number): Promise<EndpointVersion | undefined>;
  /**
   * Makes what the agent name has in the workspace equal to what it announces, in one transaction: adds, changes (a new
   * version), removes. A slug that somebody else registered first is refused and left alone.
   */
  register(
    workspaceId: string,
    agentName: string,
    announced: readonly Announced[],
    nowMs: number,
  ): Promise<Registration>;
}

// ── Executions ──────────────────────────────────────────────────────────────────────────────────────────────────────

export interface NewExecution {
  readonly id: string;
  readonly workspaceId: string;
  readonly endpointId: string;
  /** Undefined for records of before there were versions in them. */
  readonly endpointVersion: number | undefined;
  readonly slug: string;
  readonly definitionHash: string;
  /** `running` when the agent is known already: accepted and about to be dispatched in one commit (decision 24). */
  readonly state: Extract<ExecutionState, 'pending_approval' | 'queued' | 'running' | 'rejected'>;
  readonly reason: Reason | undefined;
  readonly trigger: 'call' | 'dashboard' | 'schedule' | 'pipeline';
  readonly callerKind: 'api_key' | 'member' | 'anonymous';
  readonly callerId: string | undefined;
  /** JSON object of argument name to value; the value of a secret argument is null. */
  readonly args: string;
  /** The values of secret arguments, sealed; only until the agent has them (decision 9). */
  readonly sealedArgs: string | undefined;
  readonly agentName: string | undefined;
  readonly agentInstance: string | undefined;
  readonly agentBoot: string | undefined;
  readonly hubId: string;
  /** Nobody waits on a connection for it: it goes on when its hub is replaced. */
  readonly asynchronous: boolean;
  readonly timeoutSec: number;
  readonly createdAtMs: number;
  /** SHA-256 of the anonymous caller's read token (decision 20). */
  readonly readTokenHash: string | undefined;
  /** The fire of the schedule that it is; an endpoint has one in a minute (decision 37). */
  readonly scheduledForMs?: number | undefined;
}

export interface Execution extends Omit<NewExecution, 'state'> {
  readonly state: ExecutionState;
  /** Somebody wants it to end; whether it did is what `state` says. */
  readonly cancelAskedAtMs: number | undefined;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly exitCode: number | undefined;
  readonly durationMs: number | undefined;
  readonly error: string | undefined;
  readonly errorCode: string | undefined;
  /** The result of its transform, as JSON. */
  readonly data: string | undefined;
  /** It was `lost` before the agent proved what had become of it. */
  readonly late: boolean;
  /** Of a missed one that stands for several lost fires: how many. */
  readonly missedFires?: number | undefined;
  readonly storedBytes: number;
  readonly lastSeq: number;
  /** Of one that was held: when it was approved. */
  readonly queuedAtMs: number | undefined;
}

export interface QuotaClaim {
  readonly workspaceId: string;
  /** `2026-11`, UTC. */
  readonly period: string;
  /** Undefined: counted, never refused. */
  readonly limit: number | undefined;
}

export interface IdempotencyClaim {
  readonly endpointId: string;
  readonly credential: string;
  readonly key: string;
  /** SHA-256 of everything that makes two requests the same, sealed. */
  readonly requestHash: string;
  readonly expiresAtMs: number;
}

export type Acceptance =
  | { readonly kind: 'stored' }
  | { readonly kind: 'quota_exceeded'; readonly used: number }
  | { readonly kind: 'repeated'; readonly executionId: string; readonly requestHash: string };

/** One stored piece of output: bytes of an SSE stream, and what is needed to rebuild the plain text. */
export interface OutputChunk {
  readonly executionId: string;
  /** From 1, without gaps, given by the agent. */
  readonly seq: number;
  readonly sse: Uint8Array;
  /** Lines that did not end in a plain newline, as JSON (decision 16). */
  readonly endings: string | undefined;
}

export interface Finish {
  readonly executionId: string;
  readonly state: Extract<
    ExecutionState,
    'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'lost' | 'rejected' | 'missed'
  >;
  readonly reason: Reason | undefined;
  readonly error: string | undefined;
  readonly errorCode: string | undefined;
  readonly exitCode: number | undefined;
  readonly durationMs: number | undefined;
  readonly data: string | undefined;
  readonly endedAtMs: number;
  /** What people hear of it: stored with it, or neither is (decision 39). */
  readonly alerts?: readonly AlertEvent[];
  /** What a hub decides on its own counts only while the execution is its own; absent for what the agent tells. */
  readonly ifOfHub?: string;
}

export interface ExecutionFilter {
  readonly workspaceId: string;
  readonly slug?: string;
  readonly state?: ExecutionState;
  readonly callerId?: string;
  readonly cursor?: string;
  readonly limit: number;
}

/** The ledger: every transition is a compare-and-set in one transaction. Concurrent writes share commits. */
export interface ExecutionLedger {
  /** Execution, quota and idempotency row together, or none of them. */
  accept(execution: NewExecution, quota?: QuotaClaim, idempotency?: IdempotencyClaim): Promise<Acceptance>;
  /** queued -> running; false when it is no longer queued. The same again, as after an answer that was lost, counts once. */
  begin(
    executionId: string,
    to: { name: string; instance: string; boot: string; hubId: string; nowMs: number },
  ): Promise<boolean>;
  /**
   * (execution, sequence) is unique: a chunk that is stored already is left as it is. Of one execution the caller waits for
   * one append before the next, in the order of the numbers: what is stored is then without gaps up to `lastSeq`.
   */
  append(chunks: readonly OutputChunk[]): Promise<void>;
  /** Last chunks and the final state together; false when the present state allows no such transition. */
  finish(finish: Finish, lastChunks: readonly OutputChunk[], refund?: QuotaClaim): Promise<boolean>;
  /** The same for one that waits: false when it is queued no longer. */
  finishQueued(finish: Finish, refund?: QuotaClaim): Promise<boolean>;
  /** Remembers that a running one is to end; false when it does not run. */
  askCancel(executionId: string, nowMs: number): Promise<boolean>;
  /** The agent has the values of its secret arguments. */
  eraseSealedArgs(executionId: string): Promise<void>;
  /** Makes it the one hub's that was the other's; false when it was not, or is another's by now. */
  claim(executionId: string, fromHubId: string, toHubId: string): Promise<boolean>;
  /** The same of one that waits; false when it has been given to an agent, too. */
  claimQueued(executionId: string, fromHubId: string, toHubId: string): Promise<boolean>;
  find(executionId: string): Promise<Execution | undefined>;
  /** Chunks with a sequence number above `afterSeq`, ascending, at most `limit`. */
  output(executionId: string, afterSeq: number, limit: number): Promise<OutputChunk[]>;
  list(filter: ExecutionFilter): Promise<{ items: Execution[]; nextCursor: string | undefined }>;
  /** All of a hub that are queued or running: what it settles when it starts, or another when it has lapsed. */
  unfinished(hubId: string): Promise<Execution[]>;
  /** Those of all other hubs that wait for an agent and for nobody's connection, the oldest first. */
  queuedElsewhere(hubId: string, limit: number): Promise<Execution[]>;
  /** The hubs that have such executions, living or not. */
  owners(): Promise<string[]>;
  idempotent(
    claim: Pick<IdempotencyClaim, 'endpointId' | 'credential' | 'key'>,
    nowMs: number,
  ): Promise<{ executionId: string; requestHash: string } | undefined>;
  quotaUsed(workspaceId: string, period: string): Promise<number>;
}

/** Hubs write that they live; when one stops, another takes over what it had queued (decision 24). */
export interface Hubs {
  beat(hubId: string, nowMs: number): Promise<void>;
  /** All that did not stop in peace, with their last beats; each by its own clock. */
  beats(): Promise<ReadonlyMap<string, number>>;
  forget(hubId: string): Promise<void>;
}

// ── Agents ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One connected agent process. */
export interface AgentProcess {
  readonly workspaceId: string;
  readonly name: string;
  /** Persistent id of the agent's state folder, and the id of the machine's boot (decision 24). */
  readonly instance: string;
  readonly boot: string;
  /** It runs only what is in its own file (decision 32). */
  readonly isLocalOnly: boolean;
  readonly running: number;
}

/** What an agent is told to run. For an endpoint of its own file there is no definition in it (decision 32). */
export interface RunOrder {
  readonly executionId: string;
  readonly slug: string;
  readonly definitionHash: string;
  readonly definition: string | undefined;
  /** Of the endpoint with its overrides, which the agent does not have (decision 33). */
  readonly timeoutSec: number;
  readonly args: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** The hub wants to know when the agent has it: something is kept until then. */
  readonly isToBeConfirmed: boolean;
}

export interface AgentDirectory {
  /** The process to run it, by decision 31, one that will refuse it only where no other is; undefined: none is connected. */
  choose(endpoint: RegisteredEndpoint): AgentProcess | undefined;
  /** False when the connection is gone: nothing was written, the quota may be returned. */
  run(to: AgentProcess, order: RunOrder): boolean;
  /** The process connects again at once, and says what it has in flight; nothing when it is not connected. */
  askAgain(of: AgentAddress): void;
  /** Tells the process that runs it; nothing when it is not connected. */
  cancel(to: AgentAddress, executionId: string): void;
  /** All up to this number is on record or was given up (decision 29). */
  acknowledge(to: AgentAddress, executionId: string, seq: number): void;
  /** The final state is on record: the agent may forget the execution. */
  acknowledgeEnd(to: AgentAddress, executionId: string): void;
  /** Closes every connection that was admitted by this agent token: it was revoked. */
  disconnectToken(tokenId: string): void;
  /** Closes every connection of a workspace: it is being deleted. */
  disconnectWorkspace(workspaceId: string): void;
  isOnline(workspaceId: string): boolean;
  /** The processes of a workspace that are connected to this hub. */
  connected(workspaceId: string): readonly AgentProcess[];
}

/** Which agent process: workspace and name are what its credential allows, the id is that of its state folder. */
export type AgentAddress = Pick<AgentProcess, 'workspaceId' | 'name' | 'instance'>;

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
  readonly knownAgents: KnownAgents;
  readonly workspaceUse: WorkspaceUse;
  readonly workspaceRemoval: WorkspaceRemoval;
  /** This process, in the rows that it writes. */
  readonly hubId: string;
}
