import { dlopen, type Pointer, ptr } from 'bun:ffi';

/** Both ends of a pipe as descriptors of this process. The caller closes them. */
export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** The system calls that real pipes need and that neither Bun nor Node offers. */
export interface Libc {
  openPipe(): Pipe;
  /** Gives a pipe room for much input, where the system allows it. */
  widen(pipe: Pipe): void;
  close(fd: number): void;
  /**
   * The state of a pipe for a reader: it has bytes, has ended, or needs a wait. Blocks for at most `waitMs`, a whole number, until
   * bytes or the end arrive.
   */
  poll(fd: number, waitMs: number): 'bytes' | 'end' | 'wait';
  /** Reads at most 64 KiB; empty at the end. Blocks if there are no bytes. */
  read(fd: number): Uint8Array<ArrayBuffer>;
}

const O_CLOEXEC = 0o2000000;
const F_SETPIPE_SZ = 1031;
const WIDE_PIPE_BYTES = 256 * 1024;
const POLLIN = 1;
const ends = new Int32Array(2);
/** One `struct pollfd`: descriptor, events asked for, events that happened. */
const polled = new Int32Array(2);
const read = new Uint8Array(64 * 1024);

/** Absent if the C library cannot be loaded; `pipes.ts` has the fallback. */
export const libc: Libc | undefined = load();

function load(): Libc | undefined {
  try {
    return process.platform === 'darwin' ? darwin() : linux();
  } catch {
    // Expected on systems without this library or without code generation at run time. The caller falls back.
    return undefined;
  }
}

// NOTE: `ptr` is called each time, because the storage of a small array moves when the engine optimises its users.

function linux(): Libc {
  const { symbols } = dlopen('libc.so.6', {
    pipe2: { args: ['ptr', 'i32'], returns: 'i32' },
    fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
    poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
    read: { args: ['i32', 'ptr', 'u64'], returns: 'i64' },
  });
  return {
    openPipe: () => opened(symbols.pipe2(ptr(ends), O_CLOEXEC)),
    // A user may have only so much in pipes. Beyond that the pipe keeps its size.
    widen: ({ writeEnd }) => void symbols.fcntl(writeEnd, F_SETPIPE_SZ, WIDE_PIPE_BYTES),
    close: (fd) => void symbols.close(fd),
    poll: (fd, waitMs) => seen(fd, (pollfd) => symbols.poll(pollfd, 1, waitMs)),
    read: (fd) => taken(symbols.read(fd, ptr(read), read.length)),
  };
}

/** For systems without pipe2. No child inherits the descriptors there: Bun spawns with POSIX_SPAWN_CLOEXEC_DEFAULT. */
function darwin(): Libc {
  const { symbols } = dlopen('libSystem.B.dylib', {
    pipe: { args: ['ptr'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
    poll: { args: ['ptr', 'u32', 'i32'], returns: 'i32' },
    read: { args: ['i32', 'ptr', 'u64'], returns: 'i64' },
  });
  return {
    openPipe: () => opened(symbols.pipe(ptr(ends))),
    widen: () => undefined,
    close: (fd) => void symbols.close(fd),
    poll: (fd, waitMs) => seen(fd, (pollfd) => symbols.poll(pollfd, 1, waitMs)),
    read: (fd) => taken(symbols.read(fd, ptr(read), read.length)),
  };
}

/** Remaining bytes come before the end, as with `read`. */
function seen(fd: number, poll: (pollfd: Pointer) => number): 'bytes' | 'end' | 'wait' {
  polled[0] = fd;
  polled[1] = POLLIN;
  if (poll(ptr(polled)) <= 0) return 'wait';
  const happened = (polled[1] ?? 0) >>> 16;
  return (happened & POLLIN) === 0 ? 'end' : 'bytes';
}

function taken(count: bigint): Uint8Array<ArrayBuffer> {
  if (count < 0) throw new Error('a pipe could not be read');
  return read.slice(0, Number(count));
}

function opened(result: number): Pipe {
  const [readEnd, writeEnd] = ends;
  if (result !== 0 || readEnd === undefined || writeEnd === undefined) {
    const message = 'no pipe could be opened: this process has reached its limit of open files';
    throw Object.assign(new Error(message), { code: 'EMFILE' });
  }
  return { readEnd, writeEnd };
}
