import { CLOSE_CODES, type CloseReason } from '@svc/core/protocol/close-code';
import { type AgentFrame, type AgentFrameOf, decodeAgentFrame, encodeFrame } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { decodeOutputFrame, type OutputFrame } from '@svc/core/protocol/output-frame';
import { commonVersion, PROTOCOL_VERSIONS } from '@svc/core/protocol/version';
import type { Admitted } from '../agents/admit-agent.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import { INVALID_OUTPUT, type Received } from '../dispatch/receive.ts';
import type { Reconciliation } from '../dispatch/reconcile-agent.ts';
import type { OutputChunk } from '../executions/execution-ports.ts';
import { RESULT_PIECE } from '../executions/stored-output.ts';
import type { Registered } from '../registrations/register-endpoints.ts';
import { Connection, type Wire } from './connection.ts';
import { Host } from './host.ts';
import type { AgentRegistry } from './registry.ts';
import type { SocketActions } from './socket-actions.ts';

/** The largest number of bytes queued behind a slow frame: many windows of output, and affordable for one agent. */
const MAX_QUEUED_BYTES = 16 * LINK_LIMITS.windowBytes;

/** The length limit of all reasons together. At three bytes per character they fit into one frame with the rest. */
const MAX_REASON_CHARS = 700_000;

/** One connection of an agent. It maps frames to use cases, always with the identity of its own credential. */
export class AgentSocket {
  readonly #admitted: Admitted;
  readonly #registry: AgentRegistry;
  readonly #actions: SocketActions;
  readonly #hubId: string;
  #wire: Wire | undefined;
  #connection: Connection | undefined;
  /** An asynchronous frame is in progress; later frames are queued. */
  #isBusy = false;
  #waiting: (string | Uint8Array)[] = [];
  #waitingLength = 0;
  #isClosed = false;

  constructor(admitted: Admitted, registry: AgentRegistry, actions: SocketActions, hubId: string) {
    this.#admitted = admitted;
    this.#registry = registry;
    this.#actions = actions;
    this.#hubId = hubId;
  }

  open(wire: Wire): void {
    this.#wire = wire;
  }

  message(data: string | Uint8Array): void {
    if (this.#isClosed) return;
    if (this.#isBusy) this.#keep(data);
    else this.#handle(data);
  }

  closed(): void {
    this.#isClosed = true;
    this.#waiting = [];
    const connection = this.#connection;
    if (connection !== undefined && this.#registry.remove(connection)) this.#actions.gone(connection.process);
  }

  #keep(data: string | Uint8Array): void {
    this.#waitingLength += data.length;
    // Nothing is lost: the agent sends unacknowledged frames again.
    if (this.#waitingLength > MAX_QUEUED_BYTES)
      this.#close('going_away', 'too much came while the hub was busy');
    else this.#waiting.push(data);
  }

  #handle(data: string | Uint8Array): void {
    if (typeof data !== 'string') {
      this.#output(data);
      return;
    }
    const decoded = decodeAgentFrame(data);
    if (decoded.kind === 'refused') this.#refuse('bad_frame', decoded.message);
    else this.#text(decoded.frame);
  }

  #text(frame: AgentFrame): void {
    if (this.#connection === undefined && frame.type !== 'hello') {
      this.#refuse('bad_frame', 'the first frame is hello');
      return;
    }
    switch (frame.type) {
      case 'hello':
        this.#busyWith(
          this.#actions.admit(
            () => !this.#isClosed,
            () => this.#hello(frame),
          ),
        );
        return;
      case 'config':
        this.#busyWith(this.#config(frame));
        return;
      case 'ended':
        this.#ended(frame);
        return;
      case 'input_want':
        this.#inputWanted(frame);
        return;
      case 'leaving':
        if (this.#connection) this.#connection.isLeaving = true;
        return;
      case 'ping':
        this.#connection?.answerPing(frame.n);
        return;
      case 'pong':
        this.#confirmed(frame.n);
        return;
    }
  }

  #confirmed(n: number): void {
    const executionId = this.#connection?.confirmed(n);
    if (executionId !== undefined) this.#actions.confirmed(executionId);
  }

  #busyWith(work: Promise<void>): void {
    this.#isBusy = true;
    void work
      .catch((error: unknown) => {
        // Usually the store cannot write; the agent tries again.
        const id = this.#actions.reportBug(error);
        this.#close('going_away', `internal error ${id}`);
      })
      .then(() => this.#handleQueued());
  }

  #handleQueued(): void {
    this.#isBusy = false;
    while (!this.#isBusy && !this.#isClosed) {
      const data = this.#waiting.shift();
      if (data === undefined) return;
      this.#waitingLength -= data.length;
      this.#handle(data);
    }
  }

  async #hello(hello: AgentFrameOf<'hello'>): Promise<void> {
    if (this.#connection !== undefined) return this.#refuse('bad_frame', 'hello comes once');
    const protocol = commonVersion(PROTOCOL_VERSIONS, hello.protocol);
    if (protocol === undefined) {
      const { min, max } = PROTOCOL_VERSIONS;
      return this.#refuse('version', `this hub speaks versions ${min} to ${max} of the protocol`);
    }
    if (!(await this.#actions.isStillAdmitted(this.#admitted)))
      return this.#refuse('unauthorized', 'the agent token was revoked');
    const bound = await this.#actions.bind(this.#admitted, hello);
    if (bound.kind === 'refused') return this.#refuse('name_refused', bound.message);
    const { instance, credential } = bound;
    const { workspaceId } = this.#admitted.token;
    const { agent: name, boot, local_only: isLocalOnly } = hello;
    const process = { workspaceId, name, instance, boot, isLocalOnly, credential };
    const doubt = await this.#actions.journalRefusal(process, hello.journal, bound.replaces);
    if (doubt !== undefined) return this.#refuse('journal_old', doubt);
    const registered = await this.#actions.register(process, hello);
    const inFlight = hello.in_flight.map(({ execution_id }) => execution_id);
    const reconciliation = await this.#actions.reconcile({ ...process, running: 0 }, inFlight);
    const endedRuns = hello.runner && (await this.#actions.endedRuns(hello.runner.volumes));
    if (this.#isClosed || this.#wire === undefined) return;
    this.#welcome(this.#wire, { hello, protocol, process, registered, reconciliation, endedRuns });
  }

  /** Synchronous from the reconciliation to the last order, so that nothing else can be sent in between. */
  #welcome(wire: Wire, { hello, protocol, process, registered, reconciliation, endedRuns }: Welcome): void {
    const { id: tokenId } = this.#admitted.token;
    const host = hello.runner && hostOf(hello.runner, endedRuns);
    const connection = new Connection(wire, tokenId, process, definitionsOf(hello.endpoints), host);
    this.#connection = connection;
    this.#registry.add(connection)?.close(CLOSE_CODES.displaced, 'a newer connection of this agent is there');
    const { resume, unknown, orders } = reconciliation;
    const frame = encodeFrame({
      type: 'welcome',
      protocol,
      hub: this.#hubId,
      ...this.#registration(hello.revision, registered),
      resume: resume.map(({ executionId, storedSeq }) => ({
        execution_id: executionId,
        stored_seq: storedSeq,
      })),
      unknown: [...unknown],
      stdin: true,
      ...(endedRuns === undefined ? {} : { ended_runs: [...endedRuns] }),
    });
    connection.send(frame);
    for (const { executionId } of resume) {
      connection.takes(executionId);
      this.#actions.confirmed(executionId);
    }
    for (const { order, isToBeConfirmed } of orders) connection.run(order, isToBeConfirmed);
    this.#connected(connection, hello);
  }

  #connected({ process, tokenId }: Connection, hello: AgentFrameOf<'hello'>): void {
    const { version, host, runner, journal } = hello;
    if (runner === undefined) {
      this.#actions.connected(process, { version, ...host }, journal);
      return;
    }
    const { instance } = process;
    const { engine, capacity } = runner;
    const self = { instance, tokenId, version, hostname: host.hostname, engine, capacity };
    this.#actions.hostConnected(process, self, journal);
  }

  async #config(config: AgentFrameOf<'config'>): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    // From here on calls use the new definitions, which the agent has already.
    connection.redefine(definitionsOf(config.endpoints));
    const registered = await this.#actions.register(connection.process, config);
    connection.send(encodeFrame({ type: 'registered', ...this.#registration(config.revision, registered) }));
  }

  #registration(revision: number, { registered, refused, warnings }: Registered) {
    const reasonChars = Math.floor(MAX_REASON_CHARS / Math.max(1, refused.length));
    return {
      revision,
      registered: registered.map((slug) => ({ name: slug, url: this.#actions.urlOf(this.#admitted, slug) })),
      refused: refused.map(({ slug, reason }) => ({ name: slug, reason: reason.slice(0, reasonChars) })),
      warnings: [...warnings],
    };
  }

  #output(message: Uint8Array): void {
    const connection = this.#current();
    if (connection === undefined) return;
    const decoded = decodeOutputFrame(message);
    if (decoded.kind === 'refused') this.#refuse('bad_frame', decoded.message);
    else this.#checked(this.#actions.output(connection.process, chunkOf(decoded.frame)));
  }

  #ended(frame: AgentFrameOf<'ended'>): void {
    const connection = this.#current();
    if (connection === undefined) return;
    const { execution_id: executionId, last_seq: lastSeq, ending, journal_seq: journalSeq, files } = frame;
    const beside = { files, artifactsUnsent: frame.artifacts_unsent, lineTimes: frame.line_times };
    const end = { executionId, lastSeq, ending, journalSeq, ...beside };
    this.#checked(this.#actions.end(connection.process, end));
  }

  #inputWanted(frame: AgentFrameOf<'input_want'>): void {
    const connection = this.#current();
    if (connection !== undefined) this.#actions.inputWanted(connection.process, frame);
  }

  #checked(received: Received): void {
    if (received === 'gap' || received === 'too_long') this.#refuse('bad_frame', INVALID_OUTPUT[received]);
  }

  /** Undefined for a socket that a newer one has displaced; its frames are ignored. */
  #current(): Connection | undefined {
    const connection = this.#connection;
    return connection !== undefined && this.#registry.isCurrent(connection) ? connection : undefined;
  }

  #refuse(reason: CloseReason, message: string): void {
    this.#wire?.send(encodeFrame({ type: 'error', code: reason, message }));
    this.#close(reason, message);
  }

  #close(reason: CloseReason, message: string): void {
    // A close frame holds 123 bytes (RFC 6455, 5.5).
    this.#wire?.close(CLOSE_CODES[reason], message.slice(0, 100));
    this.closed();
  }
}

interface Welcome {
  readonly hello: AgentFrameOf<'hello'>;
  readonly protocol: number;
  readonly process: Omit<AgentProcess, 'running'>;
  readonly registered: Registered;
  readonly reconciliation: Reconciliation;
  /** For a host of the hosted runner: the pipeline runs that have ended. */
  readonly endedRuns: readonly string[] | undefined;
}

type Runner = NonNullable<AgentFrameOf<'hello'>['runner']>;

function hostOf({ capacity, volumes }: Runner, endedRuns: readonly string[] = []): Host {
  const ended = new Set(endedRuns);
  return new Host(
    capacity,
    volumes.filter((runId) => !ended.has(runId)),
  );
}

function definitionsOf(announced: AgentFrameOf<'hello'>['endpoints']): Map<string, string> {
  return new Map(announced.map(({ name, hash }) => [name, hash]));
}

/** The bytes belong to this message; Bun allocates memory for each message. */
function chunkOf({ kind, executionId, seq, endings, bytes }: OutputFrame): OutputChunk {
  return { executionId, seq, sse: bytes, endings: kind === 'result' ? RESULT_PIECE : endings };
}

/** The frame that asks an agent to reconnect to another hub before this one stops (decision 30, liveness). */
export const MOVE = encodeFrame({ type: 'move' });
