import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LONGEST_SIGNED_MS } from '@svc/core/approval/signed-approval';

/**
 * The signed approvals that were used on this machine, each as an empty file named after its execution. A hub that sends
 * one again starts nothing, whichever process gets it and after any restart (decision 60, the file is a floor).
 */
export class UsedApprovals {
  readonly #folder: string;

  /** Deletes the records that are too old for any valid signature. */
  constructor(folder: string, nowMs: number) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      // Another process may have removed the file.
      const usedAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
      if (nowMs - usedAtMs > LONGEST_SIGNED_MS) rmSync(path, { force: true });
    }
  }

  /** False if the approval was used before. Throws if the record cannot be written; then nothing may run. */
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
