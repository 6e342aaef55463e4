import type { ContainerRequest } from '../engine.ts';
import type { PreparedVolume, VolumeInUse } from '../workspace/volumes.ts';
import { type Preparation, SPARE } from './pool.ts';

/**
 * A container that waits with a volume for `/output`, because making both takes longer than most commands (decision 96, files of hosted
 * commands).
 */
export class OutputContainer implements Preparation {
  readonly request: ContainerRequest;
  readonly #volume: PreparedVolume;

  constructor(volume: PreparedVolume) {
    this.#volume = volume;
    this.request = { ...SPARE, output: volume.folder };
  }

  /** Gives the volume to an execution. */
  assign(executionId: string): Promise<VolumeInUse> {
    return this.#volume.assign(executionId);
  }

  discard(): Promise<void> {
    return this.#volume.remove();
  }
}
