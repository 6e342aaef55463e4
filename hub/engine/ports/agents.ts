import type { AgentAddress, AgentHost, AgentProcess } from '../ports.ts';

/** An agent process that is here or has been here (decision 47). */
export interface KnownAgent extends AgentAddress, AgentHost {
  readonly isLocalOnly: boolean;
  /** The hub that it is connected to, as far as that one lives; undefined: none. */
  readonly hubId: string | undefined;
  readonly connectedAtMs: number;
  /** When it was last there, unless it is there now. */
  readonly seenAtMs: number;
}

/** What is remembered of agents; who is connected to this hub is what `AgentDirectory` knows. */
export interface KnownAgents {
  /** It is connected to this hub from now on. */
  connected(process: AgentProcess, host: AgentHost, at: { hubId: string; nowMs: number }): Promise<void>;
  /** Its connection to this hub has ended. */
  gone(address: AgentAddress, at: { hubId: string; nowMs: number }): Promise<void>;
  /** A hub begins: whatever was connected to the process before it was last seen with the last beat of that one. */
  hubStarted(hubId: string): Promise<void>;
  ofWorkspace(workspaceId: string): Promise<KnownAgent[]>;
  /** How many executions each agent process of a workspace runs, whichever hub it is connected to. */
  running(workspaceId: string): Promise<readonly (Omit<AgentAddress, 'workspaceId'> & { count: number })[]>;
}
