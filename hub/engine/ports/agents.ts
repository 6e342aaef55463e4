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
}

/** What is remembered of agents; who is connected to this hub is what `AgentDirectory` knows. */
export interface KnownAgents {
  /** It is connected to this hub from now on. */
  connected(process: AgentSelf, host: AgentHost, at: { hubId: string; nowMs: number }): Promise<void>;
  /** Its connection to this hub has ended. */
  gone(address: AgentIdentity, at: { hubId: string; nowMs: number }): Promise<void>;
  /** A hub begins: whatever was connected to the process before it was last seen with the last beat of that one. */
  hubStarted(hubId: string): Promise<void>;
  ofWorkspace(workspaceId: string): Promise<KnownAgent[]>;
  /** How many executions each agent process of a workspace runs, whichever hub it is connected to. */
  running(workspaceId: string): Promise<readonly (Omit<AgentIdentity, 'workspaceId'> & { count: number })[]>;
}
