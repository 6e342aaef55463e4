import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LONGEST_SIGNED_MS } from '@svc/core/approval/signed-approval';

/**
 * The signed approvals that were used on this machine, each as an empty file named after its execution. So a hub that sends
 * one again starts nothing, whichever process gets it and however often that one was restarted (decision 60).
 */
export class UsedApprovals {
  readonly #folder: string;

  /** Forgets those that are so old that no signature can be valid any more. */
  constructor(folder: string, nowMs: number) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      // Another process may have removed it just now.
      const usedAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
      if (nowMs - usedAtMs > LONGEST_SIGNED_MS) rmSync(path, { force: true });
    }
  }

  /** False when it was used before. Throws where it cannot be put on disk, and then nothing may run. */
  take(executionId: string): boolean {
    try {
      syncedClose(openSync(join(this.#folder, executionId), 'wx', 0o600));
      syncedClose(openSync(this.#folder, 'r'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
    return true;
  }
}

function syncedClose(file: number): void {
  fsyncSync(file);
  closeSync(file);
}
