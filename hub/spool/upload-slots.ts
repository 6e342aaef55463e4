import { refuse } from '@svc/core/refusal';
import type { NewExecution } from '../executions/execution-ports.ts';
import { limitedNetwork } from '../platform/http/limited-network.ts';

/** Uploads of the members and keys of a workspace at once, and of its anonymous callers. Neither takes the slots of the other. */
const KNOWN_PER_WORKSPACE = 4;
const ANONYMOUS_PER_WORKSPACE = 2;
/** Uploads of a hub. An object store takes 8 MiB of memory for each. */
const PER_HUB = 32;
const ANONYMOUS_PER_HUB = 16;

export interface Uploader {
  readonly workspaceId: string;
  readonly callerKind: NewExecution['callerKind'];
  /** The network address; undefined where no HTTP request began the call. */
  readonly from: string | undefined;
}

export interface Upload {
  readonly workspaceId: string;
  /** Of an anonymous caller. */
  readonly network: string | undefined;
  /** As many as have arrived. */
  bytes: number;
}

/** Who uploads into the spool now. Anonymous callers of a public URL cannot keep members and keys out. */
export class UploadSlots {
  readonly #uploads = new Set<Upload>();

  /** @throws `concurrency_limited`, or `unavailable` if the hub takes no more */
  take({ workspaceId, callerKind, from = '' }: Uploader): Upload {
    const network = callerKind === 'anonymous' ? limitedNetwork(from) : undefined;
    if (network === undefined) this.#refuseKnown(workspaceId);
    else this.#refuseAnonymous(workspaceId, network);
    if (this.#uploads.size >= PER_HUB) throw refuseOfHub();
    const upload = { workspaceId, network, bytes: 0 };
    this.#uploads.add(upload);
    return upload;
  }

  release(upload: Upload): void {
    this.#uploads.delete(upload);
  }

  /** The bytes of a workspace that are not on record yet. */
  bytesOf(workspaceId: string): number {
    let bytes = 0;
    for (const upload of this.#uploads) if (upload.workspaceId === workspaceId) bytes += upload.bytes;
    return bytes;
  }

  #refuseKnown(workspaceId: string): void {
    const used = this.#count((one) => one.workspaceId === workspaceId && one.network === undefined);
    if (used >= KNOWN_PER_WORKSPACE)
      throw limited(`${KNOWN_PER_WORKSPACE} calls with a body for approval are`, KNOWN_PER_WORKSPACE);
  }

  #refuseAnonymous(workspaceId: string, network: string): void {
    if (this.#count((one) => one.network === network) > 0)
      throw limited('from this address, a call without a key, with a body for approval, is', 1);
    const used = this.#count((one) => one.workspaceId === workspaceId && one.network !== undefined);
    if (used >= ANONYMOUS_PER_WORKSPACE)
      throw limited(
        `${ANONYMOUS_PER_WORKSPACE} calls without a key, with a body for approval, are`,
        ANONYMOUS_PER_WORKSPACE,
      );
    if (this.#count((one) => one.network !== undefined) >= ANONYMOUS_PER_HUB) throw refuseOfHub();
  }

  #count(isOne: (upload: Upload) => boolean): number {
    let count = 0;
    for (const upload of this.#uploads) if (isOne(upload)) count += 1;
    return count;
  }
}

function limited(which: string, limit: number) {
  return refuse('concurrency_limited', `${which} uploaded already: try again`, { limit });
}

function refuseOfHub() {
  return refuse('unavailable', 'the hub takes no more bodies for approval now: try again');
}
