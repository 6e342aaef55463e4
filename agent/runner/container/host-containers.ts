import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Transforms } from '../output/transform-result.ts';
import { ContainerRunner } from './container-runner.ts';
import { EngineError } from './engine.ts';
import { findImage } from './image/runner-image.ts';
import { type ContainerEngineKind, type EngineOptions, enginesFor, openEngine } from './open-engine.ts';
import { probe } from './probe/probe.ts';
import { probeVolume } from './probe/probe-volume.ts';
import { LoopVolumes } from './workspace/loop-volumes.ts';

export interface HostRunnerOptions extends EngineOptions {
  /** A folder of this process and its successor. The volumes of pipeline runs outlive the process there. */
  readonly dataFolder: string;
  /** The number of commands at a time. */
  readonly capacity: number;
  /** The most containers that wait; default: the capacity, if a twentieth of the memory holds them. */
  readonly maxWaiting?: number | undefined;
  /** The size of the workspace that the steps of one pipeline run share; default: 1 GiB. */
  readonly volumeBytes?: number | undefined;
  readonly transforms: Transforms;
  /** Called for failures that do not stop the runner. */
  readonly onTrouble: (cause: unknown) => void;
}

const GIB = 1024 * 1024 * 1024;
/** The memory of a waiting container, including that of the kernel. */
const WAITING_BYTES = 8 * 1024 * 1024;
/** The share of the machine's memory that all waiting containers may use. */
const WAITING_SHARE = 1 / 20;

/**
 * Opens a container runner on this machine and removes everything of an earlier one. Rejects with an `EngineError` if this
 * machine cannot create containers or would not enforce their rules; then nothing is served.
 */
export async function hostContainers(options: HostRunnerOptions): Promise<ContainerRunner> {
  // Without an image no engine is of use, so the missing image is the only error.
  findImage(options.imageFolder);
  const problems: string[] = [];
  const kinds = enginesFor(options);
  for (const kind of kinds) {
    try {
      return await hostWith(kind, options);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (kinds.length === 1) throw error;
      problems.push(`${kind}: ${error.message}`);
    }
  }
  throw new EngineError(problems.join('; '));
}

/** The engine, after every rule was tried in one of its containers. */
async function hostWith(kind: ContainerEngineKind, options: HostRunnerOptions): Promise<ContainerRunner> {
  const { capacity, dataFolder, transforms, onTrouble } = options;
  const instance = new Bun.CryptoHasher('sha256').update(dataFolder).digest('hex').slice(0, 12);
  const stateFolder = join('/run/svc-runner', instance);
  const volumeBytes = options.volumeBytes ?? GIB;
  const engine = await openEngine(kind, options, { instance, stateFolder });
  const runner = new ContainerRunner({
    engine,
    volumes: new LoopVolumes({
      imagesFolder: join(dataFolder, 'volumes'),
      mountsFolder: join(stateFolder, 'mounts'),
      bytes: volumeBytes,
      owner: { uid: engine.runnerUid, gid: engine.runnerUid },
    }),
    transforms,
    capacity,
    maxWaiting: options.maxWaiting ?? maxWaiting(capacity),
    onTrouble,
  });
  try {
    await probe(runner);
    await probeVolume(runner, volumeBytes);
    return runner;
  } catch (error) {
    await runner[Symbol.asyncDispose]();
    throw error;
  }
}

function maxWaiting(capacity: number): number {
  return Math.min(capacity, Math.floor((totalmem() * WAITING_SHARE) / WAITING_BYTES));
}
