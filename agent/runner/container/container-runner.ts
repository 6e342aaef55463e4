import { LIMITS } from '@svc/core/plan/limits';
import type { Transforms } from '../output/judge.ts';
import type { HostedRunner, Launch, OutputSink, RunningCommand } from '../runner.ts';
import type { StopGraces } from '../stopping.ts';
import { ContainerCommand, type Surroundings } from './command/container-command.ts';
import type { Engine } from './engine.ts';
import { ContainerPool } from './pool/pool.ts';
import type { Volumes } from './workspace/volumes.ts';

export interface ContainerRunnerOptions {
  /** Given away, with the volumes: they end with the runner. */
  readonly engine: Engine;
  readonly volumes: Volumes;
  readonly transforms: Transforms;
  /** How many commands it takes at a time; the hub keeps to it. */
  readonly capacity: number;
  /** How many containers wait at most. */
  readonly mostWaiting: number;
  /** Hears of what does not stop the runner: a container that could not be made ahead, or not be removed. */
  readonly onTrouble: (cause: unknown) => void;
  readonly graces?: StopGraces;
}

const GRACES: StopGraces = { killGraceMs: LIMITS.killGraceMs, drainAfterExitMs: LIMITS.drainAfterExitMs };

/** Runs each command in a fresh container that is thrown away behind it (reference 8, decision 49). */
export class ContainerRunner implements HostedRunner {
  readonly engine: string;
  readonly capacity: number;
  readonly #options: ContainerRunnerOptions;
  readonly #pool: ContainerPool;
  readonly #commands = new Set<ContainerCommand>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(options: ContainerRunnerOptions) {
    const { engine, mostWaiting, onTrouble } = options;
    this.engine = engine.name;
    this.capacity = options.capacity;
    this.#options = options;
    this.#pool = new ContainerPool({ engine, mostWaiting, onTrouble });
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

  /** Nothing of an earlier process is left: its engine removed that when it was opened. */
  sweep(_executionId: string): Promise<void> {
    return Promise.resolve();
  }

  /** Ends what runs, and leaves nothing but the volumes of runs that go on. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const commands = [...this.#commands];
    for (const command of commands) command.cancel();
    await Promise.allSettled(commands.map(({ ended }) => ended));
    await this.#pool.close();
    await Promise.allSettled(this.#underWay);
    await this.#options.volumes[Symbol.asyncDispose]();
    await this.#options.engine[Symbol.asyncDispose]();
  }

  #surroundings(): Surroundings {
    const { volumes, transforms, graces = GRACES } = this.#options;
    return { pool: this.#pool, volumes, transforms, graces, leave: (work) => this.#leave(work) };
  }

  #leave(work: Promise<unknown>): void {
    const done = work.catch(this.#options.onTrouble).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }
}
