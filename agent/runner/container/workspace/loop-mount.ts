import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { chmod, chown, mkdir, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMounted, mount, runProgram, unmount } from '../mounting.ts';

/** The ids of a user and a group on the host. */
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

/** A file system in a sparse file, mounted so that containers can use a folder of it. */
export class LoopMount {
  #options: LoopMountOptions;

  constructor(options: LoopMountOptions) {
    this.#options = options;
  }

  /** Whether its file exists. */
  get isMade(): boolean {
    return existsSync(this.#options.image);
  }

  /** Creates it, unless an earlier process did, and returns the folder for `/workspace`. */
  async mount(): Promise<string> {
    const { image, folder, owner } = this.#options;
    if (!this.isMade) await this.#make();
    const workspace = join(folder, 'workspace');
    if (await isMounted(folder)) return workspace;
    await mkdir(folder, { recursive: true, mode: 0o711 });
    // It allows no devices and no set-user-ID, also for the host itself. After a crash of the machine, a damaged one is not
    // written to.
    await mount(['-t', 'ext4', '-o', 'loop,nosuid,nodev,noatime,errors=remount-ro'], image, folder);
    await mkdir(workspace, { recursive: true });
    await chown(workspace, owner.uid, owner.gid);
    await chmod(workspace, 0o700);
    return workspace;
  }

  /** Renames the image file; the volume stays mounted. */
  async rename(image: string): Promise<void> {
    await rename(this.#options.image, image);
    this.#options = { ...this.#options, image };
  }

  /** Has no effect if it is not mounted. Its last user may need a moment to end. */
  async unmount(): Promise<void> {
    const { folder } = this.#options;
    await unmount(folder);
    if (existsSync(folder)) rmdirSync(folder);
  }

  async remove(): Promise<void> {
    await this.unmount();
    rmSync(this.#options.image, { force: true });
  }

  /** The file gets its name only when it is complete. */
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
