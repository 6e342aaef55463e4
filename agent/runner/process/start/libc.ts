import { dlopen, ptr } from 'bun:ffi';

/** Both ends of a pipe as descriptors of this process; whoever opened it closes them. */
export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** The two calls that neither Bun nor Node offers and that an honest pipe needs. */
export interface Libc {
  openPipe(): Pipe;
  close(fd: number): void;
}

const O_CLOEXEC = 0o2000000;
const ends = new Int32Array(2);

/** Absent where the C library cannot be loaded; see `pipes.ts` for what happens then. */
export const libc: Libc | undefined = load();

function load(): Libc | undefined {
  try {
    return process.platform === 'darwin' ? darwin() : linux();
  } catch {
    // Expected where there is no such library or code may not be generated at run time. The caller falls back.
    return undefined;
  }
}

function linux(): Libc {
  const { symbols } = dlopen('libc.so.6', {
    pipe2: { args: ['ptr', 'i32'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
  });
  return {
    openPipe: () => opened(symbols.pipe2(ptr(ends), O_CLOEXEC)),
    close: (fd) => void symbols.close(fd),
  };
}

/** Without pipe2. No child inherits by accident there: Bun spawns with POSIX_SPAWN_CLOEXEC_DEFAULT. */
function darwin(): Libc {
  const { symbols } = dlopen('libSystem.B.dylib', {
    pipe: { args: ['ptr'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
  });
  return {
    openPipe: () => opened(symbols.pipe(ptr(ends))),
    close: (fd) => void symbols.close(fd),
  };
}

function opened(result: number): Pipe {
  const [readEnd, writeEnd] = ends;
  if (result !== 0 || readEnd === undefined || writeEnd === undefined) {
    throw new Error('no pipe could be opened: this process has reached its limit of open files');
  }
  return { readEnd, writeEnd };
}
