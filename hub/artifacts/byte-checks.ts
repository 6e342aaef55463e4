import { refuse } from '@svc/core/refusal';
import { Semaphore } from '@svc/core/semaphore';
import type { Artifact } from './artifact-ports.ts';

/** The comparisons of a workspace at once: as many as the executions whose files one agent sends at once (decision 111, upload turns). */
const CONCURRENCY = 4;

export interface StoredFile {
  readonly state: 'stored';
}

interface Check {
  readonly sha256: string;
  readonly result: Promise<StoredFile>;
}

interface Slots {
  readonly semaphore: Semaphore;
  /** The comparisons that run or wait. */
  count: number;
}

/**
 * The files whose bytes are compared now. Each comparison of a large file takes hundreds of requests of the object store, which all
 * workspaces share. So a file has one, and a workspace a few.
 */
export class ByteChecks {
  readonly #byFile = new Map<string, Check>();
  readonly #byWorkspace = new Map<string, Slots>();

  /** The result of the comparison that runs for this file and hash, or else of a new one. Refuses with `unavailable` while another hash is compared. */
  async run(file: Artifact, sha256: string, compare: () => Promise<StoredFile>): Promise<StoredFile> {
    const name = `${file.executionId} ${file.id}`;
    const known = this.#byFile.get(name);
    if (known !== undefined && known.sha256 !== sha256)
      throw refuse('unavailable', 'the bytes are compared with another hash; ask again');
    if (known !== undefined) return await known.result;
    const result = this.#inSlot(file.workspaceId, compare).finally(() => this.#byFile.delete(name));
    this.#byFile.set(name, { sha256, result });
    return await result;
  }

  async #inSlot(workspaceId: string, compare: () => Promise<StoredFile>): Promise<StoredFile> {
    const slots = this.#byWorkspace.get(workspaceId) ?? { semaphore: new Semaphore(CONCURRENCY), count: 0 };
    this.#byWorkspace.set(workspaceId, slots);
    slots.count += 1;
    const leave = await slots.semaphore.enter();
    try {
      return await compare();
    } finally {
      leave();
      slots.count -= 1;
      if (slots.count === 0) this.#byWorkspace.delete(workspaceId);
    }
  }
}
