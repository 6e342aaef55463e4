import type { ExecutionOrder } from '@svc/core/protocol/frame';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';

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
  /** The token that it has connected with; absent for a host of the hosted runner. */
  readonly credential?: AgentCredential | undefined;
}

/** The part of an agent token that decides about secrets (decision 58, secret grants). */
export interface AgentCredential {
  readonly tokenId: string;
  readonly madeAtMs: number;
  /** A member chose its agent names when it was made. */
  readonly isNamed: boolean;
  /** The process is the first one of its token, or the token is for many. */
  readonly isKnown: boolean;
}

/** What the plan and the operator leave a hosted execution (reference 8). */
export interface HostedTerms {
  readonly vcpus: number;
  readonly memoryBytes: number;
  readonly network: boolean;
  /** The pipeline run whose steps share a volume. */
  readonly runId: string | undefined;
}

export interface AgentDirectory {
  /**
   * The process to run it, by decision 31, one that will refuse it only where no other is; undefined: none is connected.
   *
   * @param mayHave whether a process may have the secrets of the endpoint: one that may not is chosen only where no other is
   */
  choose(
    endpoint: RegisteredEndpoint,
    mayHave?: (process: AgentProcess) => boolean,
  ): AgentProcess | undefined;
  /** What it is about to be given counts when the next is chosen, until the returned function is called. */
  hold(of: AgentAddress): () => void;
  /**
   * Sends an order. False when the connection is gone: nothing was written, and the quota may be returned.
   *
   * @param isToBeConfirmed the hub keeps sealed arguments until the agent has the order
   */
  run(to: AgentProcess, order: ExecutionOrder, isToBeConfirmed: boolean): boolean;
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
