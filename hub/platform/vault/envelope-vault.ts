import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import type { SealedFor, Vault } from '../world.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const WRAPPED_BYTES = SALT_BYTES + KEY_BYTES + TAG_BYTES;
/** `v1.{id of the key}.{wrapped data key}.{nonce, value, tag}`, bytes in base64url. */
const SEALED = /^v1\.([0-9a-f]{16})\.([\w-]+)\.([\w-]+)$/;
/** A key for a single message can use a constant nonce. */
const ONLY_NONCE = new Uint8Array(NONCE_BYTES);

interface Sealed {
  readonly keyId: string;
  readonly wrapped: Uint8Array;
  readonly value: Uint8Array;
}

/**
 * Encrypts values at rest. Each value has its own data key, wrapped by a key derived from the master key
 * (AES-256-GCM, NIST SP 800-38D).
 *
 * The owner of a value is authenticated, so a sealed text does not open in another row.
 * To change the master key, a hub gets the new one as `current` and the old ones as `older`, and each text is rewrapped.
 */
export class EnvelopeVault implements Vault {
  /** The id of the current key. */
  readonly keyId: string;
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  /** @param current seals; derived from the master key for this purpose only. Older keys only open */
  constructor(current: Uint8Array, older: readonly Uint8Array[] = []) {
    this.keyId = idOf(current);
    this.#keys = new Map([current, ...older].map((key) => [idOf(key), key]));
  }

  seal(plain: string, owner: SealedFor): string {
    const dataKey = randomBytes(KEY_BYTES);
    const nonce = randomBytes(NONCE_BYTES);
    const value = Buffer.concat([nonce, encrypt(dataKey, nonce, Buffer.from(plain), nameOf(owner))]);
    return this.#wrap(dataKey, value);
  }

  /** Throws when the text was changed, belongs to another owner, or its key is missing. */
  open(sealed: string, owner: SealedFor): string {
    const { value, ...wrapping } = read(sealed);
    const dataKey = this.#unwrap(wrapping);
    const nonce = value.subarray(0, NONCE_BYTES);
    const plain = decrypt(dataKey, nonce, value.subarray(NONCE_BYTES), nameOf(owner));
    return plain.toString();
  }

  /** Rewraps the value under the current key without opening it; returns the same text when that key wraps it already. */
  rewrap(sealed: string): string {
    const { value, ...wrapping } = read(sealed);
    return wrapping.keyId === this.keyId ? sealed : this.#wrap(this.#unwrap(wrapping), value);
  }

  #wrap(dataKey: Uint8Array, value: Uint8Array): string {
    const salt = randomBytes(SALT_BYTES);
    const wrapped = encrypt(this.#wrappingKey(this.keyId, salt), ONLY_NONCE, dataKey, this.keyId);
    return `v1.${this.keyId}.${base64(Buffer.concat([salt, wrapped]))}.${base64(value)}`;
  }

  #unwrap({ keyId, wrapped }: Omit<Sealed, 'value'>): Uint8Array {
    const wrappingKey = this.#wrappingKey(keyId, wrapped.subarray(0, SALT_BYTES));
    return decrypt(wrappingKey, ONLY_NONCE, wrapped.subarray(SALT_BYTES), keyId);
  }

  /** A wrapping key per value, so that the number of values never approaches GCM's limit of random nonces per key. */
  #wrappingKey(keyId: string, salt: Uint8Array): Uint8Array {
    const key = this.#keys.get(keyId);
    if (key === undefined)
      throw new Error(`sealed with key ${keyId} of another master key, which is not here`);
    return new Uint8Array(hkdfSync('sha256', key, salt, 'wrap', KEY_BYTES));
  }
}

/** An id of the key that reveals nothing about it. */
function idOf(key: Uint8Array): string {
  return hash('sha256', key).slice(0, 16);
}

/** An unambiguous encoding of the parts. */
function nameOf({ workspaceId, kind, id }: SealedFor): string {
  return JSON.stringify([workspaceId, kind, id]);
}

function encrypt(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, name: string): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(name));
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Uint8Array, nonce: Uint8Array, bytes: Uint8Array, name: string): Buffer {
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(end));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()]);
  } catch (cause) {
    throw new Error('a sealed value was changed, or belongs to something else', { cause });
  }
}

function read(sealed: string): Sealed {
  const [, keyId = '', wrapped = '', value = ''] = SEALED.exec(sealed) ?? [];
  const read = { keyId, wrapped: bytesOf(wrapped), value: bytesOf(value) };
  if (read.wrapped.length !== WRAPPED_BYTES || read.value.length < NONCE_BYTES + TAG_BYTES)
    throw new Error('this is no sealed value');
  return read;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/**
 * The result is empty for text that `base64` never produces: unused bits of the last character would allow a second
 * spelling.
 */
function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url');
  return base64(bytes) === text ? bytes : new Uint8Array(0);
}

/** The first key seals, all of them open. A new object means changed keys. */
type KeyRing = readonly [current: Uint8Array, ...older: Uint8Array[]];

/** A vault whose keys can change at run time, because the master key is replaced while hubs run. */
export class RingVault implements Vault {
  readonly #ring: () => KeyRing;
  #known: { readonly ring: KeyRing; readonly vault: EnvelopeVault } | undefined;

  constructor(ring: () => KeyRing) {
    this.#ring = ring;
  }

  seal(plain: string, owner: SealedFor): string {
    return this.#vault().seal(plain, owner);
  }

  open(sealed: string, owner: SealedFor): string {
    return this.#vault().open(sealed, owner);
  }

  #vault(): EnvelopeVault {
    const ring = this.#ring();
    if (this.#known?.ring !== ring) {
      const [current, ...older] = ring;
      this.#known = { ring, vault: new EnvelopeVault(current, older) };
    }
    return this.#known.vault;
  }
}
