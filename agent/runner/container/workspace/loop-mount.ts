import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { chmod, chown, mkdir, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMounted, mount, runProgram, unmount } from '../mounting.ts';

/** Numbers of a user and a group on the host. */
export interface VolumeOwner {
  readonly uid: number;
  readonly gid: number;
}

export interface LoopMountOptions {
  readonly image: string;
  readonly folder: string;
  readonly bytes: number;
  readonly owner: VolumeOwner;
}

const BYTES_PER_INODE = 8 * 1024;

/** A file system in a sparse file, mounted where containers can be given a folder of it. */
export class LoopMount {
  readonly #options: LoopMountOptions;

  constructor(options: LoopMountOptions) {
    this.#options = options;
  }

  /** Whether there is anything of it on the disk. */
  get isMade(): boolean {
    return existsSync(this.#options.image);
  }

  /** Makes it, unless an earlier process has; answers with the folder in it that is `/workspace`. */
  async mount(): Promise<string> {
    const { image, folder, owner } = this.#options;
    if (!this.isMade) await this.#make();
    const workspace = join(folder, 'workspace');
    if (await isMounted(folder)) return workspace;
    await mkdir(folder, { recursive: true, mode: 0o711 });
    // Nothing in it is a device or raises anybody's rights, also for the host itself; what a crash of the machine has broken is
    // not written on.
    await mount(['-t', 'ext4', '-o', 'loop,nosuid,nodev,noatime,errors=remount-ro'], image, folder);
    await mkdir(workspace, { recursive: true });
    await chown(workspace, owner.uid, owner.gid);
    await chmod(workspace, 0o700);
    return workspace;
  }

  /** Does nothing where it is not mounted. What used it may need a moment to be gone. */
  async unmount(): Promise<void> {
    const { folder } = this.#options;
    await unmount(folder);
    if (existsSync(folder)) rmdirSync(folder);
  }

  async remove(): Promise<void> {
    await this.unmount();
    rmSync(this.#options.image, { force: true });
  }

  /** Under its name only once it is whole. */
  async #make(): Promise<void> {
    const { image, bytes } = this.#options;
    await mkdir(dirname(image), { recursive: true, mode: 0o700 });
    const unfinished = `${image}.unfinished`;
    const file = await open(unfinished, 'w', 0o600);
    await file.truncate(bytes);
    await file.close();
    const options = [
      '-q',
      '-F',
      '-m',
      '0',
      '-i',
      String(BYTES_PER_INODE),
      '-O',
      '^has_journal',
      '-E',
      'nodiscard',
    ];
    await runProgram(['mkfs.ext4', ...options, unfinished]);
    await rename(unfinished, image);
  }
}
