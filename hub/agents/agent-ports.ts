import type { AgentAddress } from './directory-ports.ts';
/** An agent process's own description of its version and machine. */
export interface AgentHost {
  readonly version: string;
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
}

/** Identifies an agent process across connections. */
interface AgentIdentity {
  readonly workspaceId: string;
  readonly name: string;
  readonly instance: string;
}

interface AgentSelf extends AgentIdentity {
  /** It runs only commands of its own file (decision 32, commands of a file stay on the agent). */
  readonly isLocalOnly: boolean;
}

/** An agent process that is or was connected (decision 47, answers of the management API). */
export interface KnownAgent extends AgentSelf, AgentHost {
  /** The live hub that it is connected to; undefined: none. */
  readonly hubId: string | undefined;
  readonly connectedAtMs: number;
  /** The end of its last connection; without meaning while it is connected. */
  readonly seenAtMs: number;
  /** When it replaced an instance with a damaged journal; undefined: it did not. */
  readonly journalDamagedAtMs: number | undefined;
}

/** The claim of an agent process in its first hello. */
export interface InstanceClaim extends AgentIdentity {
  readonly tokenId: string;
  readonly hostname: string;
  readonly nowMs: number;
  /** The process that it replaces because of a damaged journal. */
  readonly replaces?: string | undefined;
}

/** The token that owns an agent process (decision 58, agent tokens). */
export interface OwnedInstance {
  readonly instance: string;
  readonly tokenId: string;
  readonly agentName: string;
  readonly hostname: string;
  /** It existed before tokens were bound to processes. */
  readonly isKnown: boolean;
  readonly firstSeenMs: number;
}

/** The last known line of an agent process's journal. */
export interface JournalMark extends AgentAddress {
  /** The number of the last line. */
  readonly seq: number;
}
