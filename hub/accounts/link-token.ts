import { createHmac, timingSafeEqual } from 'node:crypto';

/** The purpose of a mailed link. A token is valid only for its own purpose. */
export type LinkKind = 'sign_in' | 'join' | 'approve' | 'approve_form' | 'email_old' | 'email_new';

const ID_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{64}$/;

/**
 * Creates and checks the tokens of mailed links. A token is the id of a row and an HMAC of it, so a link can be sent again
 * although only its id is stored (decision 34, links that act).
 */
export class LinkTokens {
  readonly #keys: () => readonly Uint8Array[];

  /** @param keys derived from the master keys for this purpose only; the first signs new links, all of them verify links */
  constructor(keys: () => readonly Uint8Array[]) {
    this.#keys = keys;
  }

  form(kind: LinkKind, id: string, generation = 0): string {
    const idBytes = Buffer.from(id.replaceAll('-', ''), 'hex');
    const [key = new Uint8Array(0)] = this.#keys();
    return Buffer.concat([idBytes, macOf(key, kind, id, generation)]).toString('base64url');
  }

  /** The id in a valid token of this purpose; else undefined. The comparison takes constant time. */
  read(kind: LinkKind, token: string, generation = 0): string | undefined {
    const id = this.idIn(token);
    if (id === undefined) return undefined;
    const mac = Buffer.from(token, 'base64url').subarray(ID_BYTES);
    const isOurs = this.#keys().some((key) => timingSafeEqual(mac, macOf(key, kind, id, generation)));
    return isOurs ? id : undefined;
  }

  /** The unverified id in a token, to look up the generation that `read` needs. */
  idIn(token: string): string | undefined {
    if (!TOKEN.test(token)) return undefined;
    const hex = Buffer.from(token, 'base64url').subarray(0, ID_BYTES).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}

function macOf(key: Uint8Array, kind: LinkKind, id: string, generation: number): Buffer {
  return createHmac('sha256', key).update(`${kind} ${id} ${generation}`).digest();
}
