import { fchownSync } from 'node:fs';
import { abandonReader, type ByteReader } from '../../output/byte-reader.ts';
import { type Libc, libc } from './libc.ts';

/** The read end of a pipe with the output of a command. */
export interface Source {
  /** Its stream, created at the first call because that costs more than running a short command. */
  reader(): ByteReader;
  /** Present until there is a reader: reads the bytes in the pipe without waiting for more. */
  readonly atOnce?: AtOnce | undefined;
  /** Closes it, so that writers get an error. Has no effect the second time. */
  close(): void;
}

interface AtOnce {
  poll(waitMs: number): 'bytes' | 'end' | 'wait';
  read(): Uint8Array<ArrayBuffer>;
}

/** The read ends for the output of a command. `stderr` is absent if both descriptors share one pipe. */
export interface Outputs {
  readonly stdout: Source;
  readonly stderr?: Source;
}

type Child = { readonly stdout: unknown; readonly stderr: unknown };

/** The pipes of one command, created before it is spawned. Then either `connect` or `abandon` is called, once. */
export interface Pipes {
  readonly stdout: number | 'pipe';
  readonly stderr: number | 'pipe';
  /** The spawn options that connect the output to these pipes. */
  wrap(path: string, argv: readonly string[]): { cmd: string[]; argv0?: string };
  /** Allows another user to open `/dev/stdout` and `/dev/stderr`. */
  giveTo(user: { readonly uid: number; readonly gid: number }): void;
  connect(child: Child): Outputs;
  abandon(): void;
}

/**
 * One pipe for both stdout and stderr, so that their order is the order of writing, or one for each.
 *
 * Real pipes, because the 'pipe' of Bun.spawn is a socket: a program that opens `/dev/stdout` fails on a socket, and two
 * sockets lose the order.
 */
export function layPipes(separate: boolean): Pipes {
  return libc === undefined ? bunPipes(separate) : libcPipes(libc, separate);
}

function libcPipes(c: Libc, separate: boolean): Pipes {
  const out = openReadable(c);
  const err = separate ? openSecond(c, out) : out;
  const closeWriteEnds = () => {
    c.close(out.writeEnd);
    if (err !== out) c.close(err.writeEnd);
  };
  return {
    stdout: out.writeEnd,
    stderr: err.writeEnd,
    wrap: (path, [name = path, ...rest]) => ({ cmd: [path, ...rest], argv0: name }),
    giveTo({ uid, gid }) {
      fchownSync(out.writeEnd, uid, gid);
      if (err !== out) fchownSync(err.writeEnd, uid, gid);
    },
    connect() {
      closeWriteEnds();
      return separate ? { stdout: out.source, stderr: err.source } : { stdout: out.source };
    },
    abandon() {
      closeWriteEnds();
      out.source.close();
      if (err !== out) err.source.close();
    },
  };
}

interface Readable {
  readonly writeEnd: number;
  readonly source: PipeSource;
}

function openReadable(c: Libc): Readable {
  const { readEnd, writeEnd } = c.openPipe();
  return { writeEnd, source: new PipeSource(c, readEnd) };
}

function openSecond(c: Libc, first: Readable): Readable {
  try {
    return openReadable(c);
  } catch (error) {
    c.close(first.writeEnd);
    first.source.close();
    throw error;
  }
}

/**
 * A descriptor of ours until it becomes a stream. The stream duplicates it and closes only the duplicate, so this class
 * closes ours, exactly once: a second close could hit a reused number.
 */
class PipeSource implements Source {
  readonly #libc: Libc;
  #fd: number | undefined;
  #reader: ByteReader | undefined;

  constructor(c: Libc, fd: number) {
    this.#libc = c;
    this.#fd = fd;
  }

  get atOnce(): AtOnce | undefined {
    const fd = this.#fd;
    if (fd === undefined) return undefined;
    return { poll: (waitMs) => this.#libc.poll(fd, waitMs), read: () => this.#libc.read(fd) };
  }

  reader(): ByteReader {
    if (this.#reader !== undefined) return this.#reader;
    if (this.#fd === undefined) throw new Error('this pipe has been closed');
    try {
      this.#reader = Bun.file(this.#fd).stream().getReader();
      return this.#reader;
    } finally {
      this.#closeOurs();
    }
  }

  close(): void {
    this.#closeOurs();
    if (this.#reader !== undefined) abandonReader(this.#reader);
  }

  #closeOurs(): void {
    if (this.#fd === undefined) return;
    this.#libc.close(this.#fd);
    this.#fd = undefined;
  }
}

/** The fallback without a C library: Bun's sockets, and one more exec of a shell that joins the two descriptors. */
export function bunPipes(separate: boolean): Pipes {
  return {
    stdout: 'pipe',
    stderr: 'pipe',
    wrap: (path, [, ...rest]) => ({
      cmd: separate ? [path, ...rest] : ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1', path, ...rest],
    }),
    // Sockets have no name by which to open them.
    giveTo() {},
    connect(child) {
      const stdout = sourceOf(child.stdout);
      return separate ? { stdout, stderr: sourceOf(child.stderr) } : { stdout };
    },
    abandon() {},
  };
}

/** The declared type of a subprocess's stream depends on options that are only known at run time. */
function sourceOf(stream: unknown): Source {
  const reader = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  return { reader: () => reader, close: () => abandonReader(reader) };
}

/** More bytes of the command itself than a pipe holds; later bytes come from another writer. */
const MAX_OWN_BYTES = 1024 * 1024;

/**
 * Reads the pipe of a command that has exited, or of one that may end soon: it then blocks this thread for up to `waitMs`. True if
 * that was all output; false if a process holds the pipe open or it cannot be read this way.
 *
 * For a short command this saves half of all work: a stream needs two turns of the event loop and three threads.
 */
export async function readAtOnce(
  { atOnce }: Source,
  take: (chunk: Uint8Array<ArrayBuffer>) => Promise<void> | undefined,
  waitMs = 0,
): Promise<boolean> {
  if (atOnce === undefined) return false;
  const untilMs = waitMs === 0 ? 0 : performance.now() + waitMs;
  for (let bytes = 0; bytes < MAX_OWN_BYTES; ) {
    const found = atOnce.poll(untilMs === 0 ? 0 : Math.max(0, Math.ceil(untilMs - performance.now())));
    if (found !== 'bytes') return found === 'end';
    const chunk = atOnce.read();
    if (chunk.length === 0) return true;
    bytes += chunk.length;
    const taken = take(chunk);
    if (taken !== undefined) await taken;
  }
  return false;
}
