import { dlopen } from 'bun:ffi';
import { Database, SQLiteError } from 'bun:sqlite';
import { closeSync, openSync } from 'node:fs';
import type { CheckDepth } from '../database.ts';

const READER_CACHE_KIB = 16 * 1024;
const WRITER_CACHE_KIB = 64 * 1024;

/** Opens the only connection that writes. Its commits are on the disk when they return. */
export function openForWriting(file: string, busyTimeoutMs: number): Database {
  const database = new Database(file, { readwrite: true, create: false });
  try {
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    database.run('PRAGMA synchronous = FULL');
    database.run('PRAGMA foreign_keys = ON');
    database.run('PRAGMA temp_store = MEMORY');
    database.run(`PRAGMA cache_size = -${WRITER_CACHE_KIB}`);
    // Commits do not copy the log into the file: `checkpoints.ts` does.
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

/**
 * Only its owner may read the file, because it contains the output of commands. SQLite gives its other files the same mode.
 */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

/** True for an external failure, such as a full disk; false for a bug in a statement. */
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
/**
 * With this priority a thread gets about a tenth of the processor time of a busy thread that serves calls, and all free
 * time otherwise.
 */
const NICE = 10;

/**
 * Lowers the priority of this thread, so that it waits when a call needs the processor. On a machine with two cores a
 * reader would occupy one of them.
 *
 * NOTE: Only on Linux does the system call affect a single thread. Without the library the thread keeps its priority, and
 * calls are only slower.
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
 * The damage of a file, one sentence for each problem; empty: the file is sound. Throws when SQLite itself gives up, which
 * also means damage (`isDamage`).
 */
export function checkFile(database: Database, depth: CheckDepth): readonly string[] {
  try {
    const findings = pages(database, depth === 'full' ? 'integrity_check' : 'quick_check');
    return depth === 'full' ? [...findings, ...foreignKeys(database)] : findings;
  } catch (error) {
    // The statements never change, so the error is in the schema, which SQLite reads as text from the file.
    if (error instanceof SQLiteError && error.code === 'SQLITE_ERROR')
      return [`the schema cannot be read: ${error.message}`];
    throw error;
  }
}

function pages(database: Database, pragma: string): string[] {
  const rows = database.prepare<Record<string, string>, []>(`PRAGMA ${pragma}(${MAX_FINDINGS})`).all();
  const lines = rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok');
  return lines.map((line) => line.replaceAll('\n', ' '));
}

function foreignKeys(database: Database): string[] {
  const query = 'PRAGMA foreign_key_check';
  const rows = database.prepare<{ table: string; parent: string }, []>(query).all();
  return rows
    .slice(0, MAX_FINDINGS)
    .map(({ table, parent }) => `table ${table}: a row without its ${parent}`);
}
