import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The bytes of a body in each chunk but the last, which has fewer, perhaps none. */
export const CHUNK_BYTES = 1024 * 1024;
/** A whole chunk as it is stored. */
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;

export function newSpoolKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** The stored bytes of a body. */
export function sealedBytes(bytes: number): number {
  return bytes + TAG_BYTES * (Math.floor(bytes / CHUNK_BYTES) + 1);
}

/**
 * Encrypts a body in chunks (AES-256-GCM). Each chunk opens only in its place, in a body of the same execution, and the last one only
 * as the last: no chunk can be left out, repeated, moved or taken from another body.
 *
 * NOTE: The nonce is the number of the chunk. So a key encrypts one body, once.
 */
export class SpoolCipher {
  readonly #key: Uint8Array;
  readonly #executionId: string;

  /** @param key of `newSpoolKey` */
  constructor(key: string, executionId: string) {
    this.#key = Buffer.from(key, 'base64');
    this.#executionId = executionId;
  }

  seal(chunk: Uint8Array, index: number): Uint8Array {
    const cipher = createCipheriv(CIPHER, this.#key, nonceOf(index, chunk.length < CHUNK_BYTES));
    cipher.setAAD(Buffer.from(this.#executionId));
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws for a chunk that was changed, or stands in another place. */
  open(sealed: Uint8Array, index: number): Uint8Array {
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.#key, nonceOf(index, sealed.length < SEALED_CHUNK_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(this.#executionId));
    decipher.setAuthTag(sealed.subarray(Math.max(0, end)));
    return Buffer.concat([decipher.update(sealed.subarray(0, Math.max(0, end))), decipher.final()]);
  }
}

function nonceOf(index: number, isLast: boolean): Uint8Array {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(isLast ? 1 : 0, 0);
  nonce.writeBigUInt64BE(BigInt(index), 4);
  return nonce;
}
