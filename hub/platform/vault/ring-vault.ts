import type { SealedFor, Vault } from '../world.ts';
import { EnvelopeVault } from './envelope-vault.ts';

/** The first key seals, all of them open. A change gives another object. */
export type KeyRing = readonly [current: Uint8Array, ...older: Uint8Array[]];

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
