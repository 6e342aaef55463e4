import { LIMITS } from '@svc/core/plan/limits';
import type { Transforms } from '../output/transform-result.ts';
import type { HostedRunner, Launch, OutputSink, RunningCommand } from '../runner.ts';
import type { StopGraces } from '../stopping.ts';
import { ContainerCommand, type Surroundings } from './command/container-command.ts';
import type { Engine } from './engine.ts';
import { OutputContainer } from './pool/output-container.ts';
import { BARE, ContainerPool } from './pool/pool.ts';
import type { PreparableVolumes, Volumes } from './workspace/volumes.ts';

export interface ContainerRunnerOptions {
  /** The runner owns the engine and the volumes and disposes of them. */
  readonly engine: Engine;
  readonly volumes: Volumes;
  /** The volumes for `/output`. */
  readonly outputs: PreparableVolumes;
  readonly transforms: Transforms;
  /** The number of commands at a time; the hub respects it. */
  readonly capacity: number;
  /** The most containers that wait. */
  readonly maxWaiting: number;
  /** The most containers that wait with a volume for `/output`; default: none. */
  readonly maxWaitingOutputs?: number;
  /** Called for failures that do not stop the runner: a container that could not be started ahead, or not be removed. */
  readonly onTrouble: (cause: unknown) => void;
  readonly graces?: StopGraces;
}

const GRACES: StopGraces = { killGraceMs: LIMITS.killGraceMs, drainAfterExitMs: LIMITS.drainAfterExitMs };

/**
 * Runs each command in a fresh container and removes the container afterwards (reference 8, decision 49, the hosted
 * runner).
 */
export class ContainerRunner implements HostedRunner {
  readonly engine: string;
  readonly capacity: number;
  readonly outputs: Volumes;
  readonly #options: ContainerRunnerOptions;
  readonly #pool: ContainerPool;
  readonly #outputPool: ContainerPool<OutputContainer>;
  readonly #commands = new Set<ContainerCommand>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(options: ContainerRunnerOptions) {
    const { engine, outputs, maxWaiting, maxWaitingOutputs = 0, onTrouble } = options;
    this.engine = engine.name;
    this.capacity = options.capacity;
    this.outputs = outputs;
    this.#options = options;
    this.#pool = new ContainerPool({ engine, prepare: BARE, maxWaiting, onTrouble });
    const prepare = async () => new OutputContainer(await outputs.prepare());
    this.#outputPool = new ContainerPool({ engine, prepare, maxWaiting: maxWaitingOutputs, onTrouble });
  }

  start(launch: Launch, sink: OutputSink): RunningCommand {
    if (this.#closed !== undefined) throw new Error('this runner has been disposed of');
    const command = new ContainerCommand(launch, sink, this.#surroundings());
    this.#commands.add(command);
    const forget = () => void this.#commands.delete(command);
    command.ended.then(forget, forget);
    return command;
  }

  volumes(): readonly string[] {
    return this.#options.volumes.ids();
  }

  endRun(runId: string): Promise<void> {
    return this.#options.volumes.end(runId);
  }

  /** Has no effect: the engine removed everything of an earlier process when it was opened. */
  sweep(_executionId: string): Promise<void> {
    return Promise.resolve();
  }

  /** Ends all commands and keeps only the volumes of unfinished pipeline runs. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const commands = [...this.#commands];
    for (const command of commands) command.cancel();
    await Promise.allSettled(commands.map(({ ended }) => ended));
    await Promise.all([this.#pool.close(), this.#outputPool.close()]);
    await Promise.allSettled(this.#underWay);
    await this.#options.volumes[Symbol.asyncDispose]();
    await this.outputs[Symbol.asyncDispose]();
    await this.#options.engine[Symbol.asyncDispose]();
  }

  #surroundings(): Surroundings {
    const { volumes, outputs, transforms, graces = GRACES } = this.#options;
    const [pool, outputPool] = [this.#pool, this.#outputPool];
    const leave = (work: Promise<unknown>) => this.#leave(work);
    return { pool, outputPool, volumes, outputs, transforms, graces, leave };
  }

  #leave(work: Promise<unknown>): void {
    const done = work.catch(this.#options.onTrouble).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }
}
