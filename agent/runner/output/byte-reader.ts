export type ByteReader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** A reader that nobody reads any more; how its cancellation ends concerns nobody either. */
export function abandonReader(reader: ByteReader): void {
  reader.cancel().catch(() => {});
}
