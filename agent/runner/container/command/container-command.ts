import type { Transforms } from '../../output/transform-result.ts';
import type { ContainerTerms, Ending, Launch, OutputSink, RunningCommand } from '../../runner.ts';
import type { StopGraces } from '../../stopping.ts';
import { EngineError } from '../engine.ts';
import type { OutputContainer } from '../pool/output-container.ts';
import type { ContainerPool } from '../pool/pool.ts';
import type { ShimChannel } from '../shim/channel.ts';
import type { VolumeInUse, Volumes } from '../workspace/volumes.ts';
import { ContainerRun } from './container-run.ts';
import { SinkLink } from './sink-link.ts';
import { superviseContainer } from './supervise.ts';

const CANCELLED: Ending = { kind: 'cancelled', durationMs: 0 };
/** One waiting container may be killed at this very moment; three in a row are no accident. */
const MAX_CONTAINERS = 3;

/** The parts of the runner that a command uses. */
export interface Surroundings {
  readonly pool: ContainerPool;
  /** Containers that wait with a volume for `/output`, without a network and with a private workspace. */
  readonly outputPool: ContainerPool<OutputContainer>;
  readonly volumes: Volumes;
  /** The volumes for `/output`, each under the id of its execution. */
  readonly outputs: Volumes;
  readonly transforms: Transforms;
  readonly graces: StopGraces;
  /** Runs cleanup in the background and reports its failures. */
  readonly leave: (work: Promise<unknown>) => void;
}

/** One command, from the request for a container until all its resources are released. */
export class ContainerCommand implements RunningCommand {
  readonly ended: Promise<Ending>;
  readonly #launch: Launch;
  readonly #surroundings: Surroundings;
  readonly #link: SinkLink;
  readonly #cancelled = Promise.withResolvers<Ending>();
  /** The run in the container that has the job; undefined while the command waits for a container. */
  #current: ContainerRun | undefined;
  #isCancelled = false;

  constructor(launch: Launch, sink: OutputSink, surroundings: Surroundings) {
    this.#launch = launch;
    this.#surroundings = surroundings;
    this.#link = new SinkLink(launch, sink, surroundings.transforms);
    this.ended = this.#run();
  }

  /** A command that waits for a container ends at once; the container is cleaned up later. */
  cancel(): void {
    this.#isCancelled = true;
    if (this.#current === undefined) this.#cancelled.resolve(CANCELLED);
    else this.#current.cancel();
  }

  async #run(): Promise<Ending> {
    const placed = this.#place();
    this.#surroundings.leave(placed);
    const ending = await Promise.race([placed, this.#cancelled.promise]);
    await this.#link.drained();
    return ending;
  }

  async #place(): Promise<Ending> {
    const { container: terms, argv, env } = this.#launch;
    if (terms === undefined) return refused('it came without the limits of a container');
    if ([...argv, ...Object.values(env)].some((text) => text.includes('\0'))) {
      return refused('an argument or an environment variable holds a NUL byte');
    }
    const { runId, network, keepsOutput = false } = terms;
    try {
      const isPrepared = keepsOutput && runId === undefined && !network;
      return await (isPrepared ? this.#inPrepared(terms) : this.#withVolumes(terms));
    } catch (error) {
      return refused(messageOf(error));
    }
  }

  async #withVolumes(terms: ContainerTerms): Promise<Ending> {
    const { volumes, outputs } = this.#surroundings;
    // Both volumes are requested before the first await, so a removal waits for this command.
    const wanted = [
      terms.runId === undefined ? NO_VOLUME : volumes.use(terms.runId),
      terms.keepsOutput === true ? outputs.use(this.#launch.executionId) : NO_VOLUME,
    ] as const;
    const [workspace, output] = await allOrNone(wanted);
    try {
      return await this.#inContainer(terms, { workspace: workspace?.folder, output: output?.folder });
    } finally {
      workspace?.release();
      output?.release();
    }
  }

  /** In a container that waits with a volume for `/output`. */
  async #inPrepared(terms: ContainerTerms): Promise<Ending> {
    const { outputPool } = this.#surroundings;
    const { vcpus, memoryBytes } = terms;
    const ahead = await outputPool.takeAhead({ vcpus, memoryBytes });
    // No await may come between this check and the assignment: a removal after a cancel then finds no volume, or waits for this command.
    if (this.#isCancelled) {
      outputPool.discard(ahead);
      return CANCELLED;
    }
    const output = await ahead.prepared.assign(this.#launch.executionId).catch((error: unknown) => {
      outputPool.discard(ahead);
      throw error;
    });
    try {
      const ending = await this.#inOne(ahead.channel, outputPool, { isReadAfter: true });
      if (ending !== 'unbegun') return ending;
      return await this.#inContainer(terms, { workspace: undefined, output: output.folder });
    } finally {
      output.release();
    }
  }

  /** Rejects only before the command has run; afterwards it resolves with an ending. */
  async #inContainer(
    { vcpus, memoryBytes, network }: ContainerTerms,
    { workspace, output }: Readonly<Record<'workspace' | 'output', string | undefined>>,
  ): Promise<Ending> {
    const limits = { vcpus, memoryBytes };
    const request = {
      ...{ limits, network },
      ...(workspace === undefined ? {} : { workspace }),
      ...(output === undefined ? {} : { output }),
    };
    const { pool } = this.#surroundings;
    const isReadAfter = workspace !== undefined || output !== undefined;
    for (let tries = 1; tries <= MAX_CONTAINERS; tries += 1) {
      const ending = await this.#inOne(await pool.take(request), pool, { isReadAfter });
      if (ending !== 'unbegun') return ending;
    }
    throw new EngineError(`${MAX_CONTAINERS} containers, one after the other, ended before it began`);
  }

  async #inOne(
    channel: ShimChannel,
    pool: Pick<ContainerPool, 'refillSoon'>,
    { isReadAfter }: { readonly isReadAfter: boolean },
  ): Promise<Ending | 'unbegun'> {
    try {
      const ending = this.#inChannel(channel);
      pool.refillSoon();
      return await ending;
    } finally {
      channel.abandon();
      const removed = channel.container.remove();
      this.#surroundings.leave(removed);
      // The next user of a shared workspace, and the reader of `/output`, need the container gone. If it cannot be removed, the command has
      // still run.
      if (isReadAfter) await removed.catch(() => {});
    }
  }

  async #inChannel(channel: ShimChannel): Promise<Ending | 'unbegun'> {
    if (this.#isCancelled) return CANCELLED;
    const run = new ContainerRun(channel, this.#launch, this.#surroundings.graces);
    this.#current = run;
    try {
      return await superviseContainer(this.#launch, { channel, run, link: this.#link });
    } catch (error) {
      return { kind: 'lost', message: `the container was not understood: ${messageOf(error)}` };
    } finally {
      this.#current = undefined;
    }
  }
}

type Wanted = Promise<VolumeInUse | undefined>;
const NO_VOLUME: Wanted = Promise.resolve(undefined);

/** Both volumes. If one cannot be used, the other one is released. */
async function allOrNone(wanted: readonly [Wanted, Wanted]) {
  try {
    return await Promise.all(wanted);
  } catch (error) {
    for (const one of await Promise.allSettled(wanted)) if (one.status === 'fulfilled') one.value?.release();
    throw error;
  }
}

function refused(message: string): Ending {
  return { kind: 'not_started', reason: 'other', message: `the command could not be started: ${message}` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
