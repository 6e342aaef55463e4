import { readFileSync, rmSync } from 'node:fs';
import type { Subprocess } from 'bun';
import { settlesWithin } from '../../settles-within.ts';
import { type Container, type ContainerLimits, EngineError } from '../engine.ts';
import { type Cgroups, hasProcess, removeGroup } from './cgroup/cgroups.ts';

/** The runtime in the foreground: it waits for its container and cleans up after it. */
export type RuntimeProcess = Subprocess<'pipe', 'pipe', 'pipe'>;

export interface OciContainerParts {
  readonly id: string;
  readonly runtime: RuntimeProcess;
  /** The folder of its configuration and, after the start, of the pid of process 1. */
  readonly bundle: string;
  readonly cgroups: Cgroups;
}

export const PID_FILE = 'pid';
const COMPLAINT_CHARS = 2_000;
/** A killed process may hang in the kernel; the next start of the host then removes it. */
const KILLED_WITHIN_MS = 10_000;

/** A container of an OCI runtime. */
export class OciContainer implements Container {
  readonly id: string;
  readonly ended: Promise<string>;
  readonly #parts: OciContainerParts;
  #removed: Promise<void> | undefined;

  constructor(parts: OciContainerParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.ended = complaintOf(parts.runtime);
  }

  get output(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#parts.runtime.stdout;
  }

  send(bytes: Uint8Array): void {
    const { stdin } = this.#parts.runtime;
    // A pipe whose reader has died refuses bytes sooner or later; the end of the container says more.
    void Promise.try(async () => {
      await stdin.write(bytes);
      await stdin.flush();
    }).catch(() => {});
  }

  limit(limits: ContainerLimits): Promise<void> {
    return Promise.try(() => this.#parts.cgroups.limit(this.id, limits));
  }

  memoryKills(): Promise<number | undefined> {
    try {
      return Promise.resolve(this.#parts.cgroups.memoryKills(this.id));
    } catch {
      // The runtime has removed the empty group.
      return Promise.resolve(undefined);
    }
  }

  remove(): Promise<void> {
    this.#removed ??= this.#remove();
    return this.#removed;
  }

  async #remove(): Promise<void> {
    const { bundle, cgroups } = this.#parts;
    this.#kill();
    await settlesWithin(this.ended, KILLED_WITHIN_MS);
    rmSync(bundle, { recursive: true, force: true });
    if (!removeGroup(cgroups, this.id))
      throw new EngineError(
        `the control group of container ${this.id} cannot be removed: something still runs in it`,
      );
  }

  /** The kernel kills everything in the namespace together with process 1. */
  #kill(): void {
    const { runtime, bundle, cgroups } = this.#parts;
    if (runtime.exitCode !== null || runtime.signalCode !== null) return;
    const pid = pidIn(`${bundle}/${PID_FILE}`);
    // After process 1 has ended, its pid can belong to another process while the runtime cleans up. That process is not in
    // the group.
    if (pid !== undefined && hasProcess(cgroups, this.id, pid)) killNow(pid);
    // If process 1 does not exist yet, the shim finds its input closed when it starts, and ends.
    else void Promise.resolve(runtime.stdin.end()).catch(() => {});
  }
}

function pidIn(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'latin1'));
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    // The runtime has not got that far.
    return undefined;
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It no longer exists.
  }
}

/** The end of the error stream that the runtime shares with process 1, after the runtime has ended. */
async function complaintOf(runtime: RuntimeProcess): Promise<string> {
  const [complaint] = await Promise.all([endOf(runtime.stderr), runtime.exited]);
  return complaint.trim();
}

/** A hostile process 1 may write for as long as it runs, so only the end is kept. */
async function endOf(stream: RuntimeProcess['stderr']): Promise<string> {
  const decoder = new TextDecoder();
  let end = '';
  for await (const bytes of stream)
    end = (end + decoder.decode(bytes, { stream: true })).slice(-COMPLAINT_CHARS);
  return end;
}
