import type { ReceivedFile } from '@svc/core/execution/received-file';
import type { AgentFrameOf, ExecutionOrder, HubFrameOf } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { RecentMap } from '@svc/core/recent-map';
import type { Refusal } from '@svc/core/refusal';
import { type CheckedEnding, type CommandWithChecks, startChecked } from '../../choices/check-choices.ts';
import type { FileFolders } from '../../files/file-folders.ts';
import { startWithFiles } from '../../files/start-with-files.ts';
import type { Ending, Launch, Runner, RunningCommand } from '../../runner/runner.ts';
import type { ArtifactUploader } from '../artifacts/uploads.ts';
import type { Journal } from '../journal/journal.ts';
import { ApprovedInput } from './approved-input.ts';
import type { AgentExecution } from './execution.ts';
import { ExecutionArtifacts } from './execution-artifacts.ts';
import { type Prepared, refused } from './prepare-launch.ts';
import { ReceivedInputs } from './received-input.ts';
import type { HubWire, Uplink } from './uplink.ts';
import { wireEnding } from './wire-ending.ts';

export interface ExecutionsOptions {
  readonly runner: Runner;
  readonly journal: Journal;
  readonly uplink: Uplink;
  /** Absent where commands leave no artifacts: on a host of the hosted runner. */
  readonly artifacts?: ArtifactUploader | undefined;
  /** Absent where commands get no files of calls: on a host of the hosted runner. */
  readonly fileFolders?: FileFolders | undefined;
  readonly prepare: (order: ExecutionOrder) => Prepared;
  /** Makes a new execution, with storage for its output. */
  readonly create: (id: string) => AgentExecution;
  /** The executions that an earlier process left. */
  readonly left: readonly AgentExecution[];
  /** Called for failures that do not stop the agent, such as a full disk or a bug. */
  readonly onTrouble: (message: string, cause: unknown) => void;
}

type Refused = Extract<Prepared, { kind: 'refused' }>;
type PreparedLaunch = Extract<Prepared, { kind: 'launch' }>;
type Paths = ReadonlyMap<string, string>;

interface Started {
  readonly kind: 'started';
  readonly execution: AgentExecution;
  readonly command: CommandWithChecks;
}

/** The minimum number of acknowledged ids to remember, so that a late repetition of an order starts nothing. */
const MAX_FINISHED = 10_000;

/** The executions of an agent that run, or whose ending the hub has not acknowledged. */
export class AgentExecutions {
  readonly #options: ExecutionsOptions;
  readonly #byId: Map<string, AgentExecution>;
  readonly #running = new Set<CommandWithChecks>();
  readonly #artifacts: ExecutionArtifacts;
  /** The bodies for commands that read one from stdin. */
  readonly inputs: ReceivedInputs;
  readonly #finished = new RecentMap<string, true>(2 * MAX_FINISHED);
  #isLeaving = false;
  #idle: PromiseWithResolvers<void> | undefined;
  #delivered: PromiseWithResolvers<void> | undefined;

  constructor(options: ExecutionsOptions) {
    this.#options = options;
    this.inputs = new ReceivedInputs(options.uplink);
    this.#byId = new Map(options.left.map((execution) => [execution.id, execution]));
    const { artifacts: uploader, onTrouble } = options;
    const keepEnd = (execution: AgentExecution) => this.#keepEnd(execution);
    this.#artifacts = new ExecutionArtifacts({ uploader, keepEnd, onTrouble });
    for (const execution of options.left) this.#artifacts.upload(execution);
  }

  /** The number of running commands. */
  get running(): number {
    return this.#running.size;
  }

  get inFlight(): AgentFrameOf<'hello'>['in_flight'] {
    return [...this.#byId.values()].map(({ id, output, end }) => ({
      execution_id: id,
      last_seq: output.lastSeq,
      ended: end !== undefined,
    }));
  }

  /** Resumes on a new connection: the hub gets the frames that it lacks and names the executions that it dropped. */
  connected(wire: HubWire, welcome: HubFrameOf<'welcome'>): void {
    const { resume, unknown } = welcome;
    for (const id of unknown) this.#drop(id);
    this.#options.uplink.wire = wire;
    const stored = new Map(resume.map(({ execution_id, stored_seq }) => [execution_id, stored_seq]));
    // If the hub names no position, sending resumes after the last acknowledged frame; the hub drops duplicates.
    for (const execution of this.#byId.values()) execution.resume(stored.get(execution.id));
    this.inputs.connected(welcome);
    this.#options.uplink.releaseUnblocked();
  }

  disconnected(): void {
    const { uplink } = this.#options;
    uplink.wire = undefined;
    uplink.blocked.clear();
    uplink.releaseUnblocked();
  }

  /** Continues sending when the network has room again. */
  drained(): void {
    this.#options.uplink.drained();
  }

  /**
   * Starts an order once, however often it arrives (decision 24, states and takeover). For an execution that has ended, the
   * ending is sent again.
   */
  run(order: ExecutionOrder): void {
    const { execution_id: id } = order;
    const known = this.#byId.get(id);
    if (known !== undefined) known.repeatEnd();
    else if (!this.#finished.get(id)) this.#begin(order);
  }

  cancel(id: string): void {
    this.#byId.get(id)?.command?.cancel();
    this.#artifacts.cancel(id);
  }

  acknowledge(id: string, seq: number): void {
    this.#byId.get(id)?.acknowledge(seq);
    this.#options.uplink.releaseUnblocked();
  }

  /** The hub has stored the ending. */
  acknowledgeEnd(id: string): void {
    const execution = this.#byId.get(id);
    if (execution?.end !== undefined) this.#forget(execution);
  }

  /** Refuses new orders. Running commands continue. */
  leave(): void {
    this.#isLeaving = true;
  }

  cancelAll(): void {
    for (const command of this.#running) command.cancel();
  }

  /** The hub accepts no more frames about these executions: the agent ends them and reports nothing. */
  abandonAll(): void {
    for (const id of [...this.#byId.keys()]) this.#drop(id);
  }

  /** Resolves when no command runs. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  /** Resolves when the hub has acknowledged every ending. */
  delivered(): Promise<void> {
    if (this.#byId.size === 0) return Promise.resolve();
    this.#delivered ??= Promise.withResolvers<void>();
    return this.#delivered.promise;
  }

  /** Closes without deleting the files, which the next process reads. */
  close(): void {
    for (const { output } of this.#byId.values()) output.close();
  }

  #admit(): Refused | undefined {
    if (this.#isLeaving) return refused('leaving', 'the agent is stopping');
    if (this.#byId.size < LINK_LIMITS.inFlight) return undefined;
    return refused('busy', `the agent has ${LINK_LIMITS.inFlight} executions in flight`);
  }

  #begin(order: ExecutionOrder): void {
    const started = this.#start(order);
    if (started.kind === 'refused') {
      // Nothing ran, so nothing is remembered: if the refusal is lost, the hub repeats the order and gets it again.
      const { ending } = started;
      this.#options.uplink.wire?.send({
        type: 'ended',
        execution_id: order.execution_id,
        last_seq: 0,
        ending,
      });
      return;
    }
    const { execution, command } = started;
    this.#byId.set(execution.id, execution);
    this.#running.add(command);
    command.ended.then(
      (ending) => this.#ended(execution, command, ending),
      (cause: unknown) => {
        this.#options.onTrouble('the output of a command could not be kept', cause);
        this.#ended(execution, command, { kind: 'lost', message: 'the agent could not keep its output' });
      },
    );
  }

  /** Writes the id to the journal before anything runs. If that fails, nothing runs. */
  #start(order: ExecutionOrder): Started | Refused {
    const { journal, runner, create, prepare, onTrouble } = this.#options;
    const id = order.execution_id;
    try {
      const prepared = this.#admit() ?? prepare(order);
      if (prepared.kind === 'refused') return prepared;
      journal.started(id);
      const execution = create(id);
      if (prepared.launch.transform !== undefined) execution.dropLineTimes();
      const variables = this.#artifacts.createFolder(prepared);
      const start = () => this.#startCommand(prepared, execution, variables);
      const command = prepared.checks === undefined ? start() : startChecked(prepared.checks, runner, start);
      execution.command = command;
      return { kind: 'started', execution, command };
    } catch (cause) {
      onTrouble(`"${order.endpoint}" could not be started`, cause);
      this.#deleteEntry(id);
      this.#artifacts.discard(id);
      return refused('broken', 'the agent cannot start anything now: its log says why', 'unavailable');
    }
  }

  #startCommand(
    { launch, files, approvedBody }: PreparedLaunch,
    execution: AgentExecution,
    variables: Launch['env'],
  ): RunningCommand {
    const { runner, fileFolders: folders, onTrouble } = this.#options;
    const withVariables = (one: Launch): Launch => ({ ...one, env: { ...one.env, ...variables } });
    const received = () => this.inputs.open(execution.id);
    const body = () =>
      approvedBody === undefined ? received() : new ApprovedInput(received(), approvedBody);
    if (files === undefined)
      return runner.start(withVariables(launch), execution, launch.stdin === undefined ? undefined : body());
    if (folders === undefined) throw new Error('an order with files, and no place for them');
    const command = { ...files, withPaths: (paths: Paths) => withVariables(files.withPaths(paths)) };
    const onReceived = (all: readonly ReceivedFile[]) => execution.received(all);
    return startWithFiles(command, {
      runner,
      folders,
      input: received(),
      sink: execution,
      onReceived,
      onTrouble,
    });
  }

  #ended(execution: AgentExecution, command: CommandWithChecks, ending: CheckedEnding): void {
    this.#running.delete(command);
    if (!this.#byId.has(execution.id)) {
      this.#deleteEntry(execution.id);
      this.#artifacts.discard(execution.id);
    } else if (ending.kind === 'unlisted') this.#refuseUnlisted(execution, ending.refusal);
    else this.#reportEnd(execution, ending);
    if (this.#running.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  /** The command did not run, only its lists did. The refusal is an end like any other: it is kept until the hub has it. */
  #refuseUnlisted(execution: AgentExecution, { code, message }: Refusal): void {
    const { ending } = refused('bad_values', message, code);
    execution.endWith(ending);
    this.#storeEnd(execution);
  }

  #reportEnd(execution: AgentExecution, ending: Ending): void {
    if (ending.kind === 'exited' && ending.transformed?.kind === 'data') {
      execution.writeResult(ending.transformed.json);
    }
    execution.endWith(wireEnding(ending));
    this.#storeEnd(execution);
  }

  #storeEnd(execution: AgentExecution): void {
    this.#keepEnd(execution);
    this.#artifacts.upload(execution);
    execution.flow();
  }

  #keepEnd({ id, end: frame, output }: AgentExecution): void {
    if (frame === undefined) return;
    this.#trying('the journal cannot be written', () =>
      this.#options.journal.ended(id, { frame, output: output.keep() }),
    );
  }

  /** The hub has no record of the execution, so no one could see or stop it. */
  #drop(id: string): void {
    const execution = this.#byId.get(id);
    if (execution === undefined) return;
    execution.abandon();
    this.#finish(execution);
    // A running execution stays in the journal until it ends: after a crash, its leftovers must be swept.
    if (execution.end !== undefined || execution.command === undefined) this.#deleteEntry(execution.id);
  }

  #forget(execution: AgentExecution): void {
    this.#finish(execution);
    this.#deleteEntry(execution.id);
    execution.output.drop();
  }

  #finish({ id }: AgentExecution): void {
    this.#byId.delete(id);
    this.#finished.set(id, true);
    if (this.#byId.size > 0) return;
    this.#delivered?.resolve();
    this.#delivered = undefined;
  }

  #deleteEntry(id: string): void {
    this.#trying('the journal cannot be written', () => this.#options.journal.forgotten(id));
  }

  #trying(what: string, action: () => void): void {
    try {
      action();
    } catch (cause) {
      this.#options.onTrouble(what, cause);
    }
  }
}
