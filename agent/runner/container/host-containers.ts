import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Transforms } from '../output/judge.ts';
import { ContainerRunner } from './container-runner.ts';
import { EngineError } from './engine.ts';
import { findImage } from './image/runner-image.ts';
import { type ContainerEngineKind, type EngineOptions, enginesFor, openEngine } from './open-engine.ts';
import { probe } from './probe/probe.ts';
import { probeVolume } from './probe/probe-volume.ts';
import { LoopVolumes } from './workspace/loop-volumes.ts';

export interface HostRunnerOptions extends EngineOptions {
  /** This process' alone, and the next one's: volumes of pipeline runs outlive it there. */
  readonly dataFolder: string;
  /** How many commands it takes at a time. */
  readonly capacity: number;
  /** How many containers wait at most; default: the capacity, if a twentieth of the memory holds them. */
  readonly mostWaiting?: number | undefined;
  /** How much the steps of one pipeline run may keep in their workspace; default: 1 GiB. */
  readonly volumeBytes?: number | undefined;
  readonly transforms: Transforms;
  /** Hears of what does not stop the runner. */
  readonly onTrouble: (cause: unknown) => void;
}

const GIB = 1024 * 1024 * 1024;
/** Of one that waits, with what the kernel keeps for it. */
const WAITING_BYTES = 8 * 1024 * 1024;
/** What all that wait may take of the memory of the machine. */
const WAITING_SHARE = 1 / 20;

/**
 * A runner of containers on this machine, with nothing left of an earlier one. Rejects with an `EngineError` where this
 * machine cannot make containers, or would not enforce what they promise: then nothing is served.
 */
export async function hostContainers(options: HostRunnerOptions): Promise<ContainerRunner> {
  // Without an image no engine is of use, and that is all there is to say.
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

/** Every rule has been tried in a container of it. */
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
    mostWaiting: options.mostWaiting ?? mostWaiting(capacity),
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

function mostWaiting(capacity: number): number {
  return Math.min(capacity, Math.floor((totalmem() * WAITING_SHARE) / WAITING_BYTES));
}
