import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { Failure } from '../failure.ts';

/** Far more than a token, which has some fifty characters. */
const MAX_BYTES = 4096;
const STDIN = 0;

/** The path of an open file, for a program that inherits it. */
export function inheritedPath(fd: number): string {
  return `/dev/fd/${fd}`;
}

/**
 * The token in a file; `-` is standard input, `/dev/fd/N` an open file. The file is closed afterwards, so that no command
 * inherits it. Throws a `Failure` for a file that is unreadable, or readable by other users.
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
    // Keeps descriptor 0 in use: programs take it for their standard input.
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
    EACCES: 'is not readable by this user',
    EISDIR: 'is a folder',
    EBADF: 'is not open',
  };
  return new Failure(`the token file ${path} ${reasons[code ?? ''] ?? `cannot be read: ${message}`}`);
}

/** A file of another user may be readable by the group: containers and systemd pass secrets that way. */
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
  const bytes = Buffer.alloc(MAX_BYTES);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes.length; length += count)
    count = readSync(fd, bytes, length, bytes.length - length, null);
  return bytes.toString('utf8', 0, length);
}
