import { type Libc, libc } from './libc.ts';

export type ByteReader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** What a command's output comes out of. `stderr` is absent where both descriptors share one pipe. */
export interface Outputs {
  readonly stdout: ByteReader;
  readonly stderr?: ByteReader;
}

type Child = { readonly stdout: unknown; readonly stderr: unknown };

/** The plumbing of one command, laid before it is spawned; then either `connect` or `abandon` is called, once. */
export interface Pipes {
  readonly stdout: number | 'pipe';
  readonly stderr: number | 'pipe';
  /** What to spawn so that the output arrives in these pipes. */
  wrap(path: string, argv: readonly string[]): { cmd: string[]; argv0?: string };
  connect(child: Child): Outputs;
  abandon(): void;
}

/**
 * One pipe for stdout and stderr, so that their order is the order of writing, or one each.
 *
 * Real pipes, because the 'pipe' of Bun.spawn is a socket: a program that opens `/dev/stdout` fails on one, and two of
 * them lose the order.
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
    connect() {
      closeWriteEnds();
      return separate ? { stdout: out.reader, stderr: err.reader } : { stdout: out.reader };
    },
    abandon() {
      closeWriteEnds();
      abandonReader(out.reader);
      if (err !== out) abandonReader(err.reader);
    },
  };
}

interface Readable {
  readonly writeEnd: number;
  readonly reader: ByteReader;
}

/**
 * A stream duplicates its descriptor when its reader is made, and closes only the duplicate. Ours is closed here, exactly
 * once: a second close could hit a descriptor that has got the number since.
 */
function openReadable(c: Libc): Readable {
  const { readEnd, writeEnd } = c.openPipe();
  try {
    return { writeEnd, reader: Bun.file(readEnd).stream().getReader() };
  } catch (error) {
    c.close(writeEnd);
    throw error;
  } finally {
    c.close(readEnd);
  }
}

function openSecond(c: Libc, first: Readable): Readable {
  try {
    return openReadable(c);
  } catch (error) {
    c.close(first.writeEnd);
    abandonReader(first.reader);
    throw error;
  }
}

/** A reader that nobody reads any more; how its cancellation ends concerns nobody either. */
export function abandonReader(reader: ByteReader): void {
  reader.cancel().catch(() => {});
}

/** Where there is no C library: Bun's sockets, and one more exec of a shell that joins the two descriptors. */
export function bunPipes(separate: boolean): Pipes {
  return {
    stdout: 'pipe',
    stderr: 'pipe',
    wrap: (path, [, ...rest]) => ({
      cmd: separate ? [path, ...rest] : ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1', path, ...rest],
    }),
    connect(child) {
      const stdout = readerOf(child.stdout);
      return separate ? { stdout, stderr: readerOf(child.stderr) } : { stdout };
    },
    abandon() {},
  };
}

/** The declared type of a subprocess' stream depends on options that are only known at run time. */
function readerOf(stream: unknown): ByteReader {
  return (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
}
