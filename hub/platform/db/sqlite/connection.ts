import { dlopen } from 'bun:ffi';
import { Database } from 'bun:sqlite';
import { closeSync, openSync } from 'node:fs';
import type { CheckDepth } from '../database.ts';

const READER_CACHE_KIB = 16 * 1024;
const WRITER_CACHE_KIB = 64 * 1024;
/** The log is cut back to this after a checkpoint; a check or a long read lets it grow. */
export const LOG_LIMIT_BYTES = 64 * 1024 * 1024;

/** The connection that writes; there is one. Its commits are on the disk when they return. */
export function openForWriting(file: string, busyTimeoutMs: number): Database {
  const database = new Database(file, { readwrite: true, create: false });
  try {
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    database.run('PRAGMA synchronous = FULL');
    database.run('PRAGMA foreign_keys = ON');
    database.run('PRAGMA temp_store = MEMORY');
    database.run(`PRAGMA cache_size = -${WRITER_CACHE_KIB}`);
    database.run(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
    // No commit copies the log into the file: `checkpoints.ts` has it done.
    database.run('PRAGMA wal_autocheckpoint = 0');
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

export function openForReading(file: string, busyTimeoutMs: number): Database {
  const database = new Database(file, { readonly: true });
  try {
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    database.run(`PRAGMA cache_size = -${READER_CACHE_KIB}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Only its owner may read the file, because it contains the output of commands. SQLite gives the files beside it the same mode. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

/** True for what the surroundings did to us, such as a full disk; false for a bug in a statement. */
export function isOutside(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return false;
  return SYSTEM_ERROR.test(code) || OUTSIDE.some((prefix) => code.startsWith(prefix));
}

export function isBusy(error: unknown): boolean {
  return codeOf(error)?.startsWith('SQLITE_BUSY') === true;
}

export function isTaken(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === 'SQLITE_CONSTRAINT_UNIQUE';
}

/** A system error such as ENOENT; a code that begins with `ERR_` is a bug. */
const SYSTEM_ERROR = /^E[A-Z0-9]+$/;

const OUTSIDE = [
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_READONLY',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_NOMEM',
  'SQLITE_PERM',
  'SQLITE_PROTOCOL',
] as const;

export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

const PRIO_PROCESS = 0;
const THIS_THREAD = 0;
/** About a tenth of the processor time of a thread that serves calls, while the machine is busy; all that is free otherwise. */
const NICE = 10;

/**
 * Lets this thread wait where a call needs the processor. On a machine with two cores a reader would take one of them.
 *
 * NOTE: Only on Linux does the call mean a thread. Without the library the thread keeps its priority, which is only slower.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const { symbols } = dlopen('libc.so.6', {
      setpriority: { args: ['i32', 'u32', 'i32'], returns: 'i32' },
    });
    symbols.setpriority(PRIO_PROCESS, THIS_THREAD, NICE);
  } catch {
    return;
  }
}

/** The number of reported problems; SQLite stops there. */
const MAX_FINDINGS = 100;

/**
 * The damage of a file, a sentence each; none: it is sound. Throws where SQLite itself gives up: that is damage too (`isDamage`).
 */
export function checkFile(database: Database, depth: CheckDepth): readonly string[] {
  const pragma = depth === 'full' ? 'integrity_check' : 'quick_check';
  const rows = database.prepare<Record<string, string>, []>(`PRAGMA ${pragma}(${MAX_FINDINGS})`).all();
  const lines = rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok');
  const findings = lines.map((line) => line.replaceAll('\n', ' '));
  return depth === 'full' ? [...findings, ...foreignKeys(database)] : findings;
}

function foreignKeys(database: Database): string[] {
  const query = 'PRAGMA foreign_key_check';
  const rows = database.prepare<{ table: string; parent: string }, []>(query).all();
  return rows
    .slice(0, MAX_FINDINGS)
    .map(({ table, parent }) => `table ${table}: a row without its ${parent}`);
}
