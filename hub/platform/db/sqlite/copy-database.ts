import { closeSync, fdatasyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { openForReading, openForWriting } from './connection.ts';

/** The size of a piece: a commit of the hub waits for at most one. */
const PIECE_BYTES = 128 * 1024;
/** The pause after each piece, as a multiple of the time the piece took: half of the disk stays free for calls. */
const PAUSE_FACTOR = 1;
/** A longer log is first copied into its file, because its pages are kept in memory. */
const LONG_LOG_FRAMES = 16_384;
/** The offsets of the journal mode in the header of a database. Mode 1 is a rollback journal, mode 2 a write-ahead log. */
const JOURNAL_AT = [18, 19] as const;
const PAGE_SIZE_AT = 16;
const PAGE_COUNT_AT = 28;
const HEADER_BYTES = 100;

/** Keeps the files open for the lifetime of the process: see `copyDatabase`. */
const keptOpen: number[] = [];

/**
 * Copies a database as of one moment, piece by piece. Each piece is on the disk before the next one begins. SQLite's own copies
 * write as fast as they can and flush gigabytes at the end, while commits wait.
 *
 * The first pass copies the file while it changes. The second pass compares, and writes only the differences, as of a moment that
 * an open read holds: until that read ends, checkpoints copy nothing newer into the file, and nothing overwrites the log. So the
 * file, with the pages of the log over it, is the database of that moment. The log grows while the read is open, and each commit
 * then allocates disk space; two passes keep that time short.
 *
 * NOTE: The file is not closed. POSIX releases all locks of a process on a file when it closes any descriptor of it, and the
 * connections of this process have locks on it.
 */
export function copyDatabase(file: string, toFile: string, busyTimeoutMs: number): void {
  const source = openSync(file, 'r');
  keptOpen.push(source);
  const target = openSync(toFile, 'r+');
  try {
    copyPieces({ source, target }, { pages: new Map(), pageCount: undefined });
    shortenLog(file, busyTimeoutMs);
    using moment = openForReading(file, busyTimeoutMs);
    moment.run('BEGIN');
    moment.query('select count(*) from sqlite_schema').get();
    const { log, checkpointed } = lengthOfLog(file, busyTimeoutMs);
    const inLog = readLogPages(`${file}-wal`, { from: checkpointed, to: log });
    copyPieces({ source, target }, inLog);
    moment.run('COMMIT');
  } finally {
    closeSync(target);
  }
}

function shortenLog(file: string, busyTimeoutMs: number): void {
  const { log, checkpointed } = lengthOfLog(file, busyTimeoutMs);
  if (log - checkpointed < LONG_LOG_FRAMES) return;
  using database = openForWriting(file, busyTimeoutMs);
  database.query('PRAGMA wal_checkpoint(PASSIVE)').get();
}

/** The length of the log in frames, and the number of frames that are already in the file. */
function lengthOfLog(file: string, busyTimeoutMs: number): { log: number; checkpointed: number } {
  using database = openForReading(file, busyTimeoutMs);
  const query = database.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)');
  // NOTE: -1 means that there is no log.
  return query.get() ?? { log: 0, checkpointed: 0 };
}

interface Descriptors {
  readonly source: number;
  readonly target: number;
}

/** Writes the pieces that differ from the target. */
function copyPieces({ source, target }: Descriptors, { pages, pageCount }: LogPages): void {
  const { pageSize, pageCount: inHeader } = readHeader(source, pages);
  const total = (pageCount ?? inHeader) * pageSize;
  const [piece, before] = [Buffer.alloc(PIECE_BYTES), Buffer.alloc(PIECE_BYTES)];
  for (let from = 0; from < total; from += PIECE_BYTES) {
    const beganAtMs = performance.now();
    const length = Math.min(PIECE_BYTES, total - from);
    // A page that is only in the log may be behind the end of the file.
    piece.fill(0, readSync(source, piece, 0, length, from), length);
    for (let at = 0; at < length; at += pageSize) {
      const page = pages.get((from + at) / pageSize + 1);
      if (page !== undefined) piece.set(page, at);
    }
    // The copy has no log of its own.
    if (from === 0) for (const at of JOURNAL_AT) piece[at] = 1;
    const copied = readSync(target, before, 0, length, from);
    if (copied === length && before.compare(piece, 0, length, 0, length) === 0) continue;
    writeSync(target, piece, 0, length, from);
    fdatasyncSync(target);
    Bun.sleepSync((performance.now() - beganAtMs) * PAUSE_FACTOR);
  }
  // A vacuum may have made the file shorter since the first pass.
  ftruncateSync(target, total);
}

function readHeader(source: number, pages: ReadonlyMap<number, Uint8Array>) {
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(source, header, 0, HEADER_BYTES, 0);
  const newest = pages.get(1);
  if (newest !== undefined) header.set(newest.subarray(0, HEADER_BYTES));
  const size = header.readUInt16BE(PAGE_SIZE_AT);
  return { pageSize: size === 1 ? 65_536 : size, pageCount: header.readUInt32BE(PAGE_COUNT_AT) };
}

/** The write-ahead log, as SQLite's file format documents it. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const LOG_PAGE_SIZE_AT = 8;
const SALT_AT = 16;
const SALT_END = 24;
const READS_PER_BATCH = 256;

/** Pages that are in the log and not, or not wholly, in the file. */
interface LogPages {
  /** The newest content by number of page, from 1. */
  readonly pages: ReadonlyMap<number, Uint8Array>;
  /** The number of pages of the database; undefined: the header of the file is right. */
  readonly pageCount: number | undefined;
}

const NONE: LogPages = { pages: new Map(), pageCount: undefined };

/**
 * Reads the frames `from` to `to` of the log, counted from 0, without `to`. The last one ends a commit.
 *
 * A log that restarts during the read has no page that the file lacks: the moment of the reader is then in the file alone, and no
 * checkpoint writes to it.
 */
function readLogPages(log: string, { from, to }: { from: number; to: number }): LogPages {
  if (from >= to) return NONE;
  const descriptor = openSync(log, 'r');
  try {
    const header = bytesAt(descriptor, 0, LOG_HEADER_BYTES);
    const pageSize = header.readUInt32BE(LOG_PAGE_SIZE_AT);
    const frameBytes = FRAME_HEADER_BYTES + pageSize;
    const pages = new Map<number, Uint8Array>();
    let pageCount = 0;
    for (let first = from; first < to; first += READS_PER_BATCH) {
      const count = Math.min(READS_PER_BATCH, to - first);
      const frames = bytesAt(descriptor, LOG_HEADER_BYTES + first * frameBytes, count * frameBytes);
      for (let at = 0; at < frames.length; at += frameBytes) {
        if (!saltOf(frames, at + 8).equals(saltOf(header, SALT_AT))) return NONE;
        pages.set(frames.readUInt32BE(at), frames.subarray(at + FRAME_HEADER_BYTES, at + frameBytes));
        pageCount = frames.readUInt32BE(at + 4);
      }
    }
    const isAnew = !saltOf(bytesAt(descriptor, 0, LOG_HEADER_BYTES), SALT_AT).equals(saltOf(header, SALT_AT));
    return isAnew ? NONE : { pages, pageCount };
  } finally {
    closeSync(descriptor);
  }
}

function saltOf(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at, at + SALT_END - SALT_AT);
}

function bytesAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const count = readSync(descriptor, bytes, read, length - read, position + read);
    if (count === 0) throw new Error('the write-ahead log is shorter than SQLite says');
    read += count;
  }
  return bytes;
}
