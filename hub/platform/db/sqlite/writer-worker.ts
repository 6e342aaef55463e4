import { type Report, readBatch, type WrittenBatch } from './protocol.ts';
import { WriteConnection } from './write-connection.ts';

declare const self: Worker;

/** The entry of the thread that writes. An fsync blocks its thread, so it must not run on the serving thread. */
export interface WriterOptions {
  readonly file: string;
  readonly busyTimeoutMs: number;
}
/** Receives the file to open, then batches, then `close`. */
export type ToWriter = WriterOptions | WrittenBatch | 'close';
/** A report as JSON, or `closed`. */
export type FromWriter = string;

let connection: WriteConnection | undefined;
let idleTimer: ReturnType<typeof setTimeout> | undefined;

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  if (data === 'close') {
    clearTimeout(idleTimer);
    connection?.close();
    post('closed');
  } else if ('file' in data) {
    connection = new WriteConnection(data.file, data.busyTimeoutMs);
  } else if (connection === undefined) {
    throw new Error('a batch before the file to write it to');
  } else {
    post(JSON.stringify(connection.commit(readBatch(data), data.checkpoint) satisfies Report));
    if (idleTimer === undefined) freeIdleCache();
  }
};

function freeIdleCache(): void {
  const leftMs = connection?.freeIdleCache();
  idleTimer = leftMs === undefined ? undefined : setTimeout(freeIdleCache, leftMs);
}

function post(message: FromWriter): void {
  self.postMessage(message);
}
