export type ByteReader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** Cancels a reader that is no longer used and ignores the outcome. */
export function abandonReader(reader: ByteReader): void {
  reader.cancel().catch(() => {});
}
