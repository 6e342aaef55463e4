import type { SignedApproval } from '@svc/core/approval/signed-approval';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';

/** One connected agent process. */
export interface AgentProcess {
  readonly workspaceId: string;
  readonly name: string;
  /** Persistent id of the agent's state folder, and the id of the machine's boot (decision 24). */
  readonly instance: string;
  readonly boot: string;
  /** It runs only commands of its own file (decision 32). */
  readonly isLocalOnly: boolean;
  readonly running: number;
  /** The token of its connection; absent for a host of the hosted runner. */
  readonly credential?: AgentCredential | undefined;
}

/** The part of an agent token that decides about secrets (decision 58, secret grants). */
export interface AgentCredential {
  readonly tokenId: string;
  readonly madeAtMs: number;
  /** A member chose the agent names when creating it. */
  readonly isNamed: boolean;
  /** The process is the first of its token, or the token is for many processes. */
  readonly isKnown: boolean;
}

/** An order to an agent to run an execution. For an endpoint of the agent's own file it has no definition (decision 32). */
export interface RunOrder {
  readonly executionId: string;
  readonly slug: string;
  readonly definitionHash: string;
  readonly definition: string | undefined;
  /** The timeout with overrides applied, which the agent does not have (decision 33). */
  readonly timeoutSec: number;
  readonly args: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** The step of a pipeline run. Its output carries the id, and its command gets these extra variables. */
  readonly step?: { readonly id: string; readonly env: Readonly<Record<string, string>> } | undefined;
  /** For an endpoint with `approver_keys`: the approval that an approver signed (decision 60). */
  readonly approval?: SignedApproval | undefined;
  /** For the hosted runner: the limits of the container. */
  readonly hosted?: HostedTerms | undefined;
  /** For a traced execution: the parent span in W3C Trace Context. */
  readonly traceparent?: string | undefined;
  /** The hub waits for a confirmation, because it keeps data until the agent has the order. */
  readonly isToBeConfirmed: boolean;
}

/** The limits that the plan and the operator set for a hosted execution (reference 8). */
export interface HostedTerms {
  readonly vcpus: number;
  readonly memoryBytes: number;
  readonly network: boolean;
  /** The pipeline run whose steps share a volume. */
  readonly runId: string | undefined;
}

export interface AgentDirectory {
  /**
   * Chooses a process for an endpoint (decision 31, choice of the agent); undefined: none is connected. It avoids processes that would refuse.
   *
   * @param mayHave whether a process may have the secrets of the endpoint; one that may not is chosen only when there is no other
   */
  choose(
    endpoint: RegisteredEndpoint,
    mayHave?: (process: AgentProcess) => boolean,
  ): AgentProcess | undefined;
  /** Reserves a slot on the process, which counts in the next choice until the returned function releases it. */
  hold(of: AgentAddress): () => void;
  /** Sends the order. False when the connection is gone: nothing was written, so the quota may be refunded. */
  run(to: AgentProcess, order: RunOrder): boolean;
  /** Asks the process to reconnect and to report its executions. No effect when it is not connected. */
  askAgain(of: AgentAddress): void;
  /** Sends a cancellation to the process. No effect when it is not connected. */
  cancel(to: AgentAddress, executionId: string): void;
  /** Acknowledges output up to this number: it is stored or was dropped (decision 29). */
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
