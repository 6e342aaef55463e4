import { fchownSync } from 'node:fs';
import type { FileSink, Subprocess } from 'bun';
import { GUARD_MARK } from '../end/sweep.ts';
import type { ReadyLaunch } from '../protocol.ts';
import { type Libc, libc } from './libc.ts';

/** The write end of the stdin of a running command. */
export interface CommandStdin {
  /** Resolves when the pipe has taken the bytes. After the command has closed its stdin, bytes are dropped. */
  write(bytes: Uint8Array): Promise<void>;
  /** The input is complete: the command reads its end. */
  end(): Promise<void>;
  /** The command is over. Has no effect the second time. */
  close(): void;
}

/** The stdin of one command, created before it is spawned. Then either `connect` or `close` is called. */
export interface StdinPipe {
  /** For the spawn of the command. */
  readonly readEnd: number;
  /** Allows another user to open `/dev/stdin`. */
  giveTo(user: { readonly uid: number; readonly gid: number }): void;
  connect(): CommandStdin;
  close(): void;
}

/** A piece of the input in one system call, if the pipe is empty. */
const WRITE_BYTES = 256 * 1024;

/** Undefined on systems without a C library that this program can load; they have no pipe that a program can open by name. */
export function layStdin(launch: Pick<ReadyLaunch, 'executionId' | 'user'>): StdinPipe | undefined {
  return libc === undefined ? undefined : new GuardedPipe(libc, launch);
}

/**
 * A pipe that ends only when the input is complete, even if this process is killed in between.
 *
 * A pipe ends when its last writer is gone. So a second process, the guard, holds the write end too, and is killed when the input is
 * complete or the command is over. A command whose agent was killed waits for more input until the next agent ends it. The guard
 * has the execution's id, so whatever ends the processes of an execution ends it, too, as the last of them.
 */
class GuardedPipe implements StdinPipe, CommandStdin {
  readonly readEnd: number;
  readonly #libc: Libc;
  readonly #guard: Subprocess;
  readonly #writeEnd: number;
  #areOursOpen = true;
  #sink: FileSink | undefined;
  #isBroken = false;

  constructor(c: Libc, launch: Pick<ReadyLaunch, 'executionId' | 'user'>) {
    this.#libc = c;
    const pipe = c.openPipe();
    c.widen(pipe);
    const { readEnd, writeEnd } = pipe;
    this.readEnd = readEnd;
    this.#writeEnd = writeEnd;
    let guard: Subprocess | undefined;
    try {
      guard = spawnGuard(writeEnd, launch);
      // NOTE: Before the command begins: the sink duplicates the descriptor, which fails where none is left.
      this.#sink = Bun.file(writeEnd).writer({ highWaterMark: WRITE_BYTES });
    } catch (error) {
      guard?.kill('SIGKILL');
      this.#closeOurs();
      throw error;
    }
    this.#guard = guard;
  }

  giveTo({ uid, gid }: { readonly uid: number; readonly gid: number }): void {
    fchownSync(this.readEnd, uid, gid);
  }

  connect(): CommandStdin {
    // The sink has its own duplicate of the descriptor.
    this.#closeOurs();
    return this;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#isBroken; at += WRITE_BYTES) {
      await this.#try(async (sink) => {
        await sink.write(bytes.subarray(at, at + WRITE_BYTES));
        await sink.flush();
      });
    }
  }

  async end(): Promise<void> {
    await this.#try(async (sink) => void (await sink.end()));
    this.close();
  }

  close(): void {
    this.#closeOurs();
    this.#guard.kill('SIGKILL');
    const sink = this.#sink;
    this.#sink = undefined;
    // A pending write fails when the command no longer reads. The ending of the command already reports that.
    if (sink !== undefined) void Promise.resolve(sink.end()).catch(() => undefined);
  }

  /** A command may close its stdin or exit before it has read everything. Its exit code says whether that was a failure. */
  async #try(action: (sink: FileSink) => Promise<void>): Promise<void> {
    if (this.#sink === undefined) return;
    try {
      await action(this.#sink);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EPIPE') throw error;
      this.#isBroken = true;
    }
  }

  #closeOurs(): void {
    if (!this.#areOursOpen) return;
    this.#areOursOpen = false;
    this.#libc.close(this.readEnd);
    this.#libc.close(this.#writeEnd);
  }
}

function spawnGuard(
  writeEnd: number,
  { executionId, user }: Pick<ReadyLaunch, 'executionId' | 'user'>,
): Subprocess {
  return Bun.spawn({
    ...user,
    cmd: ['/bin/sh', '-c', 'exec sleep 2147483647'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', SVC_EXECUTION_ID: executionId, [GUARD_MARK]: '1' },
    stdin: 'ignore',
    stdout: writeEnd,
    stderr: 'ignore',
    detached: true,
  });
}
