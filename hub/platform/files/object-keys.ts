import { createHash, hash, hkdfSync } from 'node:crypto';

/** The first key writes, all of them read. */
type KeyRing = readonly [current: Uint8Array, ...older: Uint8Array[]];

/** An object of a store. */
export interface StoredObject {
  /** Its name below the prefix. */
  readonly name: string;
  /** The name without the id of a key. */
  readonly file: string;
  /** The key from which that of the object derives. Undefined: the store encrypts it with none of this hub. */
  readonly root: Uint8Array | undefined;
}

const KEY_BYTES = 32;
/** A name, and the id of the key that its object was written with. */
const NAME = /^(.*?)(?:\.([0-9a-f]{16}))?$/;

/**
 * The keys with which a store encrypts objects, one for each, derived from the master key (decision 109, encryption in object stores).
 *
 * The id of the master key is a part of the name of an object, as it is of the sealed values of the vault. So a hub finds objects from
 * before a change of the master key, or of the setting.
 */
export class ObjectKeys {
  readonly #ring: () => KeyRing;
  readonly #encrypts: boolean;

  /** @param ring derived from the master keys for these objects only */
  constructor(ring: () => KeyRing, encrypts: boolean) {
    this.#ring = ring;
    this.#encrypts = encrypts;
  }

  /** Whether a client needs headers to write an object. */
  get encrypts(): boolean {
    return this.#encrypts;
  }

  /** The object with this name, as it is written now. */
  toWrite(name: string): StoredObject {
    return this.#encrypts ? this.withCurrentKey(name) : plainOf(name);
  }

  withCurrentKey(name: string): StoredObject {
    const [current] = this.#ring();
    return objectOf(name, current);
  }

  /** The object with this name in every way in which it may have been written: as it is written now, then with the other keys. */
  possible(name: string): readonly StoredObject[] {
    const encrypted = this.#ring().map((key) => objectOf(name, key));
    return this.#encrypts ? [...encrypted, plainOf(name)] : [plainOf(name), ...encrypted];
  }

  /** What a name in a list of the store stands for; `object` is undefined if its key is not here. */
  read(listed: string): { readonly name: string; readonly object: StoredObject | undefined } {
    const [, name = ''] = NAME.exec(listed) ?? [];
    return { name, object: this.possible(name).find((one) => one.name === listed) };
  }
}

function plainOf(name: string): StoredObject {
  return { name, file: name, root: undefined };
}

function objectOf(file: string, root: Uint8Array): StoredObject {
  return { name: `${file}.${idOf(root)}`, file, root };
}

/** An id of the key that reveals nothing about it. */
function idOf(key: Uint8Array): string {
  return hash('sha256', key).slice(0, 16);
}

/** The headers of a request that reads or writes an encrypted object: its key, which the store does not keep (SSE-C). */
export function keyHeaders(object: StoredObject, prefix: '' | 'copy-source-' = ''): Record<string, string> {
  if (object.root === undefined) return {};
  const key = new Uint8Array(hkdfSync('sha256', object.root, new Uint8Array(0), object.file, KEY_BYTES));
  const name = `x-amz-${prefix}server-side-encryption-customer`;
  return {
    [`${name}-algorithm`]: 'AES256',
    [`${name}-key`]: key.toBase64(),
    [`${name}-key-md5`]: createHash('md5').update(key).digest('base64'),
  };
}
