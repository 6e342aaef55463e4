import type { AgentFrameOf } from '@svc/core/protocol/frame';
import type { Admitted } from '../agents/admit-agent.ts';
import type { AgentHost } from '../agents/agent-ports.ts';
import type { AgentAddress, AgentCredential, AgentProcess } from '../agents/directory-ports.ts';
import type { End, Received } from '../dispatch/receive.ts';
import type { Reconciliation } from '../dispatch/reconcile-agent.ts';
import type { OutputChunk } from '../executions/execution-ports.ts';
import type { HostSelf } from '../hosted/hosted-ports.ts';
import type { Announcement } from '../registrations/check-announced.ts';
import type { Registered } from '../registrations/register-endpoints.ts';

/** The identity of the connected process; a host of the hosted runner has no credential. */
export type BoundProcess =
  | { readonly kind: 'refused'; readonly message: string }
  | {
      readonly kind: 'bound';
      readonly instance: string;
      readonly credential: AgentCredential | undefined;
      /** The process that it replaces; undefined: none, or one of another token. */
      readonly replaces: string | undefined;
    };

/** The use cases that a socket calls. The build of the hub provides them. */
export interface SocketActions {
  /** Runs the hello under admission control; skips it when the connection has closed by then. */
  admit(isWanted: () => boolean, hello: () => Promise<void>): Promise<void>;
  /** Whether the token has not been revoked since the handshake. */
  isStillAdmitted(admitted: Admitted): Promise<boolean>;
  /** Binds the token to the claimed name and process, or returns the reason for a refusal. */
  bind(admitted: Admitted, hello: AgentFrameOf<'hello'>): Promise<BoundProcess>;
  register(agent: Omit<AgentProcess, 'running'>, announced: Announcement): Promise<Registered>;
  reconcile(process: AgentProcess, inFlight: readonly string[]): Promise<Reconciliation>;
  /** Why the journal is damaged; undefined: it is plausible. The executions of a damaged journal end as lost. */
  journalRefusal(
    process: AgentAddress,
    journal: AgentFrameOf<'hello'>['journal'],
    replaces: string | undefined,
  ): Promise<string | undefined>;
  /** The volumes of a host whose pipeline run has ended or does not exist. */
  endedRuns(runIds: readonly string[]): Promise<string[]>;
  output(from: AgentAddress, chunk: OutputChunk): Received;
  end(from: AgentAddress, end: End): Received;
  /** @param from one object for each connection */
  inputWanted(from: AgentAddress, frame: AgentFrameOf<'input_want'>): void;
  /** The agent has received the order of this execution and written it to its journal, unless it refuses. */
  confirmed(executionId: string): void;
  /** The process is connected and may get executions. */
  connected(process: AgentProcess, host: AgentHost, journal: AgentFrameOf<'hello'>['journal']): void;
  /** The host of the hosted runner is connected. */
  hostConnected(process: AgentProcess, host: HostSelf, journal: AgentFrameOf<'hello'>['journal']): void;
  /** The socket has closed, and no other has replaced it. */
  gone(process: AgentProcess): void;
  urlOf(admitted: Admitted, slug: string): string;
  reportBug(error: unknown): string;
}
