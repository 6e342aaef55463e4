/** What an agent process says of itself, and the machine that it runs on. */
export interface AgentHost {
  readonly version: string;
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
}

/** Which agent process, wherever and whenever it is connected. */
interface AgentIdentity {
  readonly workspaceId: string;
  readonly name: string;
  readonly instance: string;
}

interface AgentSelf extends AgentIdentity {
  /** It runs only what is in its own file (decision 32). */
  readonly isLocalOnly: boolean;
}

/** An agent process that is here or has been here (decision 47). */
export interface KnownAgent extends AgentSelf, AgentHost {
  /** The hub that it is connected to, as far as that one lives; undefined: none. */
  readonly hubId: string | undefined;
  readonly connectedAtMs: number;
  /** When it was last there, unless it is there now. */
  readonly seenAtMs: number;
  /** When it took the place of an instance whose journal was damaged; undefined: it did not. */
  readonly journalDamagedAtMs: number | undefined;
}

/** An agent process as its first hello claims it. */
export interface InstanceClaim extends AgentIdentity {
  readonly tokenId: string;
  readonly hostname: string;
  readonly nowMs: number;
  /** The process whose place it takes, because the journal of that one was damaged. */
  readonly replaces?: string | undefined;
}

/** To which token an agent process belongs (decision 58, agent tokens). */
export interface OwnedInstance {
  readonly instance: string;
  readonly tokenId: string;
  readonly agentName: string;
  readonly hostname: string;
  /** It was there before tokens were bound to processes. */
  readonly isKnown: boolean;
  readonly firstSeenMs: number;
}
