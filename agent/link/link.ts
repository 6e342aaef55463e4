import { Backoff } from '@svc/core/backoff';
import { CLOSE_CODES, finalCloseReason } from '@svc/core/protocol/close-code';
import type { AgentFrameOf, HubFrameOf } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { PROTOCOL_VERSIONS } from '@svc/core/protocol/version';
import type { HostedRunner } from '../runner/runner.ts';
import type { Closing, SocketTarget } from './connection/connection.ts';
import { HubConnection, type Instruction } from './connection/connection.ts';
import type { AnnouncedDefinitions } from './definitions.ts';
import type { LinkEvent, LinkRefusal } from './event.ts';
import type { AgentExecutions } from './execution/executions.ts';
import type { AgentState } from './instance/state.ts';
import type { Journal } from './journal/journal.ts';
import type { Timers } from './timers.ts';

/** The identity of this agent process for `hello`. */
export type LinkIdentity = Pick<
  AgentFrameOf<'hello'>,
  'agent' | 'process' | 'version' | 'host' | 'local_only'
>;

export interface LinkOptions {
  readonly target: SocketTarget;
  readonly identity: LinkIdentity;
  /** Its instance, and the last position of its journal. */
  readonly state: Pick<AgentState, 'instance' | 'boot' | 'renewed' | 'renew'> & {
    readonly journal: Pick<Journal, 'mark'>;
  };
  readonly definitions: AnnouncedDefinitions;
  readonly executions: AgentExecutions;
  /** Only for a host of the hosted runner: what it reports to hubs, and what it receives from them. */
  readonly hosted?: Pick<HostedRunner, 'engine' | 'capacity' | 'volumes' | 'endRun'> | undefined;
  readonly timers: Timers;
  /** Uniform from 0 up to 1. */
  readonly random: () => number;
  readonly onEvent: (event: LinkEvent) => void;
}

/**
 * The delay before the next attempt is a random moment in a window that doubles from 1 s to 15 s (decision 30, liveness), so
 * that the agents of a restarted hub do not all reconnect at once.
 */
const RECONNECT = { firstMs: LINK_LIMITS.reconnectFirstMs, longestMs: LINK_LIMITS.reconnectMostMs };
/** A connection that lasted this long resets the backoff. */
const STABLE_MS = 15_000;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** The connection to a hub. It reconnects after every break, until it is closed or the hub refuses it for good. */
export class HubLink {
  readonly #options: LinkOptions;
  readonly #backoff: Backoff;
  readonly #refused = Promise.withResolvers<LinkRefusal>();
  readonly #left = Promise.withResolvers<void>();
  #connection: HubConnection | undefined;
  #welcomedAtMs: number | undefined;
  #announcedRevision = 0;
  #withdrawRetry: (() => void) | undefined;
  #isLeaving = false;
  #isMoving = false;
  #isClosed = false;

  /** Connects at once. */
  constructor(options: LinkOptions) {
    this.#options = options;
    this.#backoff = new Backoff(RECONNECT, (windowMs) => options.random() * windowMs);
    this.#connect();
  }

  /** Resolves when the hub refuses this agent for good, and never otherwise. */
  get refused(): Promise<LinkRefusal> {
    return this.#refused.promise;
  }

  /** Registers the changed definitions. */
  announce(): void {
    const { definitions } = this.#options;
    if (this.#welcomedAtMs === undefined || definitions.revision === this.#announcedRevision) return;
    this.#announcedRevision = definitions.revision;
    this.#connection?.send({
      type: 'config',
      revision: definitions.revision,
      endpoints: definitions.announced,
      pipelines: definitions.pipelines,
    });
  }

  /**
   * Asks the hub for no new orders. Running commands and the link continue. Resolves when no order is under way any more, or
   * without a connection; a hub that does not answer keeps it waiting.
   */
  leave(): Promise<void> {
    this.#isLeaving = true;
    if (this.#welcomedAtMs === undefined) this.#left.resolve();
    else this.#connection?.leave();
    return this.#left.promise;
  }

  close(): void {
    this.#isClosed = true;
    this.#withdrawRetry?.();
    this.#connection?.close('done');
  }

  #connect(): void {
    const { target, timers } = this.#options;
    this.#isMoving = false;
    this.#connection = new HubConnection(target, timers, {
      hello: () => this.#hello(),
      welcomed: (welcome) => this.#welcomed(welcome),
      instructed: (instruction) => this.#guarded(() => this.#obey(instruction)),
      input: (frame) => this.#guarded(() => this.#options.executions.inputs.receive(frame)),
      left: () => this.#left.resolve(),
      drained: () => this.#guarded(() => this.#options.executions.drained()),
      closed: (closing) => this.#closed(closing),
    });
  }

  #hello(): AgentFrameOf<'hello'> {
    const { identity, state, definitions, executions, hosted } = this.#options;
    this.#announcedRevision = definitions.revision;
    return {
      type: 'hello',
      protocol: PROTOCOL_VERSIONS,
      ...identity,
      instance: state.instance,
      boot: state.boot,
      journal: journalField(state),
      revision: definitions.revision,
      endpoints: definitions.announced,
      pipelines: definitions.pipelines,
      in_flight: executions.inFlight,
      ...(hosted === undefined ? {} : { runner: runnerField(hosted) }),
    };
  }

  #welcomed(welcome: HubFrameOf<'welcome'>): void {
    const { executions, timers, onEvent } = this.#options;
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#welcomedAtMs = timers.nowMs();
    onEvent({ kind: 'connected', ...welcome });
    this.#guarded(() => executions.connected(connection, welcome));
    for (const runId of welcome.ended_runs ?? []) this.#endRun(runId);
    this.announce();
    if (this.#isLeaving) connection.leave();
  }

  #obey(instruction: Instruction): void {
    const { executions, onEvent } = this.#options;
    switch (instruction.type) {
      case 'run':
        executions.run(instruction);
        break;
      case 'input_end':
        executions.inputs.end(instruction);
        break;
      case 'input_cut':
        executions.inputs.cut(instruction);
        break;
      case 'cancel':
        executions.cancel(instruction.execution_id);
        break;
      case 'ack':
        executions.acknowledge(instruction.execution_id, instruction.seq);
        break;
      case 'ended_ack':
        executions.acknowledgeEnd(instruction.execution_id);
        break;
      case 'registered':
        onEvent({ kind: 'registered', ...instruction });
        break;
      case 'run_ended':
        this.#endRun(instruction.run_id);
        break;
      case 'move':
        this.#isMoving = true;
        this.#connection?.close('going_away', 'the hub asked to');
        break;
    }
  }

  /** Removes the volume of a pipeline run that is over. */
  #endRun(runId: string): void {
    const { hosted, onEvent } = this.#options;
    hosted?.endRun(runId).catch((cause: unknown) => {
      onEvent({ kind: 'trouble', message: 'the volume of a pipeline run could not be removed', cause });
    });
  }

  #closed(closing: Closing): void {
    const { executions, timers } = this.#options;
    const lastedMs = this.#welcomedAtMs === undefined ? 0 : timers.nowMs() - this.#welcomedAtMs;
    this.#connection = undefined;
    this.#welcomedAtMs = undefined;
    executions.disconnected();
    if (this.#isLeaving) this.#left.resolve();
    if (this.#isClosed) return;
    if (closing.code === CLOSE_CODES.journal_old && this.#renew(closing.reason)) return;
    const refusal = finalReason(closing);
    if (refusal !== undefined) {
      this.#isClosed = true;
      this.#refused.resolve({ reason: refusal, message: closing.reason });
      return;
    }
    if (lastedMs >= STABLE_MS) this.#backoff.reset();
    this.#retry(closing.reason);
  }

  /** Starts a new instance, because the state folder is older than the record of the hub. False if that failed. */
  #renew(reason: string): boolean {
    const { state, executions, timers, onEvent } = this.#options;
    try {
      executions.abandonAll();
      state.renew(reason);
    } catch (cause) {
      onEvent({ kind: 'trouble', message: 'a new journal cannot be started', cause });
      return false;
    }
    if (state.renewed !== undefined) onEvent({ kind: 'journal_damaged', ...state.renewed });
    this.#withdrawRetry = timers.after(this.#backoff.nextMs(), () => this.#connect());
    return true;
  }

  #retry(reason: string): void {
    const { timers, onEvent } = this.#options;
    const retryInMs = this.#isMoving ? 0 : this.#backoff.nextMs();
    onEvent({ kind: 'disconnected', reason, retryInMs });
    this.#withdrawRetry = timers.after(retryInMs, () => this.#connect());
  }

  /** No frame of a hub may end this process. */
  #guarded(action: () => void): void {
    try {
      action();
    } catch (cause) {
      this.#options.onEvent({ kind: 'trouble', message: 'a frame of the hub could not be obeyed', cause });
    }
  }
}

function journalField({ journal, renewed }: LinkOptions['state']): AgentFrameOf<'hello'>['journal'] {
  const { seq } = journal.mark;
  if (renewed === undefined) return { seq };
  const { replaces, atMs, reason } = renewed;
  return { seq, renewed: { ...(replaces === undefined ? {} : { replaces }), at_ms: atMs, reason } };
}

function runnerField(runner: Pick<HostedRunner, 'engine' | 'capacity' | 'volumes'>) {
  return { engine: runner.engine, capacity: runner.capacity, volumes: [...runner.volumes()] };
}

/** The hub refuses with a close code, or already refuses the upgrade. */
function finalReason({ code, status, isHelloRefused }: Closing): LinkRefusal['reason'] | undefined {
  if (isHelloRefused) return 'hello_refused';
  if (status === UNAUTHORIZED) return 'unauthorized';
  return status === FORBIDDEN ? 'name_refused' : finalCloseReason(code);
}
