import { StoreDamaged } from '../damage.ts';

/** The first bytes of a Zstandard frame. No event of output begins with them. */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const;
/** Below this size the compressed frame saves too little. */
const FEW_BYTES = 256;
/** The fastest level: 1.5 KB of text become 0.3 KB in 8 µs. */
const LEVEL = 1;

/** The stored form of bytes: compressed if that is shorter. */
export function packed(bytes: Uint8Array): Uint8Array {
  // NOTE: Bytes that look packed are always packed, because a reader could not distinguish them.
  if (bytes.length < FEW_BYTES && !isPacked(bytes)) return bytes;
  const frame = Bun.zstdCompressSync(bytes, { level: LEVEL });
  return frame.length < bytes.length || isPacked(bytes) ? frame : bytes;
}

/** The reverse of `packed`. It also accepts bytes that were stored uncompressed. Throws `StoreDamaged`. */
export function unpacked(stored: Uint8Array): Uint8Array {
  if (!isPacked(stored)) return stored;
  try {
    return new Uint8Array(Bun.zstdDecompressSync(stored));
  } catch (error) {
    throw new StoreDamaged(`the store cannot be read: stored output is damaged: ${(error as Error).message}`);
  }
}

function isPacked(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, at) => bytes[at] === byte);
}
