import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { Failure } from '../failure.ts';

/** A token has some fifty characters. */
const BYTES_AT_MOST = 4096;
const STDIN = 0;

/** The name of an open file, for a program that inherits it. */
export function forwardedCall(fd: number): string {
  return `/dev/fd/${fd}`;
}

/**
 * The token in a file; `-` is standard input, `/dev/fd/N` a file that is open already. It is closed then, so that no command
 * has it. Throws a `Failure` for a file that cannot be read, or that other users can read.
 */
export function readTokenFile(path: string): string {
  const inherited = inheritedFd(path);
  const fd = inherited ?? opened(path);
  try {
    if (inherited === undefined) requirePrivate(path, fstatSync(fd));
    return textOf(fd).trim();
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(path, error);
  } finally {
    closeSync(fd);
    // Its number must not go to the next file that is opened: programs take 0 for their input.
    if (fd === STDIN) openSync('/dev/null', 'r');
  }
}

function inheritedFd(path: string): number | undefined {
  if (path === '-' || path === '/dev/stdin') return STDIN;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(path) ?? [];
  return number === undefined ? undefined : Number(number);
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'does not exist',
    EACCES: 'may not be read by this user',
    EISDIR: 'is a folder',
    EBADF: 'is not open',
  };
  return new Failure(`the token file ${path} ${reasons[code ?? ''] ?? `cannot be read: ${message}`}`);
}

/** A group may read a file that belongs to another user: in containers and under systemd that is how it is given to us. */
function requirePrivate(path: string, stats: Stats): void {
  const { mode, uid } = stats;
  if (!stats.isFile()) return;
  const forbidden = uid === process.geteuid?.() ? 0o077 : 0o037;
  if ((mode & forbidden) === 0) return;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  throw new Failure(`the token file ${path} has mode ${shown}: other users can read or change it`, {
    tip: `chmod 600 ${path}`,
  });
}

function textOf(fd: number): string {
  const bytes = Buffer.alloc(BYTES_AT_MOST);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes.length; length += count)
    count = readSync(fd, bytes, length, bytes.length - length, null);
  return bytes.toString('utf8', 0, length);
}
