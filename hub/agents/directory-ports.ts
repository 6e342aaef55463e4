import type { ExecutionOrder, HubFrameOf } from '@svc/core/protocol/frame';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';

/** One connected agent process. */
export interface AgentProcess {
  readonly workspaceId: string;
  readonly name: string;
  /** Persistent id of the agent's state folder, and the id of the machine's boot (decision 24, states and takeover). */
  readonly instance: string;
  readonly boot: string;
  /** It runs only commands of its own file (decision 32, commands of a file stay on the agent). */
  readonly isLocalOnly: boolean;
  readonly running: number;
  /** The token of its connection; absent for a host of the hosted runner. */
  readonly credential?: AgentCredential | undefined;
}

/** The part of an agent token that decides about secrets (decision 58, agent tokens and secret grants). */
export interface AgentCredential {
  readonly tokenId: string;
  readonly madeAtMs: number;
  /** A member chose the agent names when creating it. */
  readonly isNamed: boolean;
  /** The process is the first of its token, or the token is for many processes. */
  readonly isKnown: boolean;
}

/** The limits that the plan and the operator set for a hosted execution (reference 8). */
export interface HostedTerms {
  readonly vcpus: number;
  readonly memoryBytes: number;
  readonly network: boolean;
  /** The pipeline run whose steps share a volume. */
  readonly runId: string | undefined;
}

/** A piece of the body of a call, or how the body ended. */
export type InputMessage = Uint8Array<ArrayBuffer> | HubFrameOf<'input_end'> | HubFrameOf<'input_cut'>;

export interface AgentDirectory {
  /**
   * Chooses a process for an endpoint (decision 31, which agent runs an endpoint); undefined: none is connected. It avoids
   * processes that would refuse.
   *
   * @param mayHave whether a process may have the secrets of the endpoint; one that may not is chosen only when there is no other
   */
  choose(
    endpoint: RegisteredEndpoint,
    mayHave?: (process: AgentProcess) => boolean,
  ): AgentProcess | undefined;
  /** Reserves a slot on the process, which counts in the next choice until the returned function releases it. */
  reserveSlot(of: AgentAddress): () => void;
  /**
   * Sends an order. False when the connection is gone: nothing was written, and the quota may be returned.
   *
   * @param isToBeConfirmed the hub keeps sealed arguments until the agent has the order
   */
  run(to: AgentProcess, order: ExecutionOrder, isToBeConfirmed: boolean): boolean;
  /** The process reconnects at once, and reports its executions in flight; no effect when it is not connected. */
  askToMove(of: AgentAddress): void;
  /** Sends a cancellation to the process. No effect when it is not connected. */
  cancel(to: AgentAddress, executionId: string): void;
  /** Sends a part of the body of a call. No effect when it is not connected: it asks again when it is. */
  input(to: AgentAddress, message: InputMessage): void;
  /** Acknowledges output up to this number: it is stored or was dropped (decision 29, numbered output). */
  acknowledge(to: AgentAddress, executionId: string, seq: number): void;
  /** Acknowledges the stored final state; the agent may forget the execution. */
  acknowledgeEnd(to: AgentAddress, executionId: string): void;
  /** Closes every connection of a revoked agent token. */
  disconnectToken(tokenId: string): void;
  /** Closes every connection of a workspace that is being deleted. */
  disconnectWorkspace(workspaceId: string): void;
  isOnline(workspaceId: string): boolean;
  /** The processes of a workspace that are connected to this hub. */
  connected(workspaceId: string): readonly AgentProcess[];
}

/** Identifies a process: workspace and name come from its credential, the id from its state folder. */
export type AgentAddress = Pick<AgentProcess, 'workspaceId' | 'name' | 'instance'>;
