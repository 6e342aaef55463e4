import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../engine.ts';
import { LoopMount, type VolumeOwner } from './loop-mount.ts';
import type { PreparableVolumes, PreparedVolume, VolumeInUse } from './volumes.ts';

export interface LoopVolumesOptions {
  /** A folder on disk: the files that steps share outlive this process. */
  readonly imagesFolder: string;
  readonly mountsFolder: string;
  readonly bytes: number;
  /** The host's id of `runner`. */
  readonly owner: VolumeOwner;
}

const SUFFIX = '.ext4';
/** The prefix of image files whose volume has no id yet. */
const PREPARED = 'prepared-';

/**
 * Volumes as separate file systems, each in a sparse file: a step that fills one, or creates a million files, reaches its
 * limit and not that of the host.
 *
 * A volume outlives the process that created it, because its run may: the next process finds the volumes in the folder.
 */
export class LoopVolumes implements PreparableVolumes {
  readonly #options: LoopVolumesOptions;
  readonly #volumes = new Map<string, Volume>();

  constructor(options: LoopVolumesOptions) {
    this.#options = options;
    for (const file of namesIn(options.imagesFolder)) {
      if (file.endsWith(SUFFIX) && !file.startsWith(PREPARED)) this.#add(file.slice(0, -SUFFIX.length));
      else rmSync(join(options.imagesFolder, file), { force: true });
    }
  }

  ids(): readonly string[] {
    return [...this.#volumes.keys()];
  }

  async use(runId: string): Promise<VolumeInUse> {
    const volume = this.#volumes.get(runId) ?? this.#add(runId);
    try {
      return await volume.use();
    } catch (error) {
      if (!volume.isMade) this.#volumes.delete(runId);
      throw error;
    }
  }

  async prepare(): Promise<PreparedVolume> {
    const volume = this.#volumeOf(`${PREPARED}${crypto.randomUUID()}`);
    const { folder, release } = await volume.use().catch(async (error: unknown) => {
      await volume.end();
      throw error;
    });
    const assign = async (id: string) => {
      // The volume is registered before the first await, so that `end` waits for this user.
      this.#volumes.set(id, volume);
      try {
        await volume.rename(this.#imageOf(id));
        return { folder, release };
      } catch (error) {
        this.#volumes.delete(id);
        throw error;
      }
    };
    const remove = async () => {
      release();
      await volume.end();
    };
    return { folder, assign, remove };
  }

  async end(runId: string): Promise<void> {
    const volume = this.#volumes.get(runId);
    if (volume === undefined) return;
    await volume.end();
    this.#volumes.delete(runId);
  }

  /** Unmounts all volumes; the next start finds them again. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#volumes.values()].map((volume) => volume.unmount()));
  }

  #add(runId: string): Volume {
    const volume = this.#volumeOf(runId);
    this.#volumes.set(runId, volume);
    return volume;
  }

  #volumeOf(name: string): Volume {
    const { mountsFolder, bytes, owner } = this.#options;
    const folder = join(mountsFolder, name);
    return new Volume(new LoopMount({ image: this.#imageOf(name), folder, bytes, owner }));
  }

  #imageOf(name: string): string {
    return join(this.#options.imagesFolder, `${name}${SUFFIX}`);
  }
}

/** One volume: mounted for its first user, removed after the last user once its run is over. */
class Volume {
  readonly #mount: LoopMount;
  #mounted: Promise<string> | undefined;
  #users = 0;
  #isEnded = false;
  #unused: PromiseWithResolvers<void> | undefined;

  constructor(mount: LoopMount) {
    this.#mount = mount;
  }

  get isMade(): boolean {
    return this.#mount.isMade;
  }

  async use(): Promise<VolumeInUse> {
    if (this.#isEnded)
      throw new EngineError('the volume was removed: its pipeline run or execution has ended');
    this.#users += 1;
    try {
      this.#mounted ??= this.#mount.mount();
      return { folder: await this.#mounted, release: () => this.#release() };
    } catch (error) {
      this.#mounted = undefined;
      this.#release();
      throw error;
    }
  }

  async rename(image: string): Promise<void> {
    await this.#mount.rename(image);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#noUsers();
    await this.#mount.remove();
  }

  async unmount(): Promise<void> {
    await this.#noUsers();
    await this.#mount.unmount();
    this.#mounted = undefined;
  }

  #release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#unused?.resolve();
  }

  #noUsers(): Promise<void> {
    if (this.#users === 0) return Promise.resolve();
    this.#unused ??= Promise.withResolvers<void>();
    return this.#unused.promise;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
