import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { reasonOf } from '../unavailable.ts';
import type { Value } from '../unit/statement.ts';
import { codeOf, isOutside, lowerPriority, openForReading } from './connection.ts';

declare const self: Worker;

/** The entry of the thread that reads lists and statistics. */
export interface ReadThreadOptions {
  readonly file: string;
  readonly busyTimeoutMs: number;
}
export interface ReadOrder {
  readonly id: number;
  readonly sql: string;
  readonly values: readonly Value[];
  readonly isOnce: boolean;
}
/** Receives the file to open, then reads. `close` closes the file, and the next read opens it again. */
export type ToReadThread = ReadThreadOptions | ReadOrder | { readonly close: number };
export type FromReadThread =
  | { readonly id: number; readonly json: string }
  /** `code` is set for external failures, such as those of a disk; without it the query is wrong. */
  | { readonly id: number; readonly failure: string; readonly code: string | undefined };

let options: ReadThreadOptions | undefined;
let database: Database | undefined;

lowerPriority();

self.onmessage = ({ data }: MessageEvent<ToReadThread>) => {
  if ('file' in data) options = data;
  else if ('close' in data) {
    close();
    answer({ id: data.close, json: '[]' });
  } else answer(read(data));
};

function answer(message: FromReadThread): void {
  self.postMessage(message);
}

function read(order: ReadOrder): FromReadThread {
  try {
    return { id: order.id, json: JSON.stringify(rowsOf(order)) };
  } catch (error) {
    if (!isOutside(error)) return { id: order.id, failure: reasonOf(error), code: undefined };
    close();
    return { id: order.id, failure: reasonOf(error), code: codeOf(error) };
  }
}

function rowsOf({ sql, values, isOnce }: ReadOrder): Record<string, unknown>[] {
  const open = opened();
  // `query` caches a prepared statement for ever, which is wrong for a text that is used once.
  const statement = isOnce ? open.prepare(sql) : open.query(sql);
  try {
    const rows = statement.all(...(values as SQLQueryBindings[])) as Record<string, unknown>[];
    if (rows.some((row) => Object.values(row).some((value) => value instanceof Uint8Array)))
      throw new Error('a read of bytes does not belong on this thread: they do not cross as JSON');
    return rows;
  } finally {
    if (isOnce) statement.finalize();
  }
}

function opened(): Database {
  if (options === undefined) throw new Error('a read before the file to read');
  database ??= openForReading(options.file, options.busyTimeoutMs);
  return database;
}

function close(): void {
  database?.close();
  database = undefined;
}
