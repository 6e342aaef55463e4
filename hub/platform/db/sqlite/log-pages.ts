import { closeSync, openSync, readSync } from 'node:fs';

/** The write-ahead log, as SQLite's file format documents it. */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_SIZE_AT = 8;
const SALT_AT = 16;
const SALT_END = 24;
const READ_AT_ONCE = 256;

/** Pages that are in the log and not, or not wholly, in the file. */
export interface LogPages {
  /** The newest content by number of page, from 1. */
  readonly pages: ReadonlyMap<number, Uint8Array>;
  /** How many pages the database has; undefined: what the file says is right. */
  readonly pageCount: number | undefined;
}

const NONE: LogPages = { pages: new Map(), pageCount: undefined };

/**
 * Reads the frames `from` to `to` of the log, counted from 0, without `to`. The last one ends a commit.
 *
 * A log that begins anew meanwhile has no page that the file lacks: the moment of whoever reads is then in the file alone, and no
 * checkpoint writes to it.
 */
export function readLogPages(log: string, { from, to }: { from: number; to: number }): LogPages {
  if (from >= to) return NONE;
  const descriptor = openSync(log, 'r');
  try {
    const header = bytesAt(descriptor, 0, HEADER_BYTES);
    const pageSize = header.readUInt32BE(PAGE_SIZE_AT);
    const frameBytes = FRAME_HEADER_BYTES + pageSize;
    const pages = new Map<number, Uint8Array>();
    let pageCount = 0;
    for (let first = from; first < to; first += READ_AT_ONCE) {
      const count = Math.min(READ_AT_ONCE, to - first);
      const frames = bytesAt(descriptor, HEADER_BYTES + first * frameBytes, count * frameBytes);
      for (let at = 0; at < frames.length; at += frameBytes) {
        if (!saltOf(frames, at + 8).equals(saltOf(header, SALT_AT))) return NONE;
        pages.set(frames.readUInt32BE(at), frames.subarray(at + FRAME_HEADER_BYTES, at + frameBytes));
        pageCount = frames.readUInt32BE(at + 4);
      }
    }
    const isAnew = !saltOf(bytesAt(descriptor, 0, HEADER_BYTES), SALT_AT).equals(saltOf(header, SALT_AT));
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
