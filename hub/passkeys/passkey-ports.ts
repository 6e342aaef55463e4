/** A passkey of a user. The private key stays with its authenticator. */
export interface Passkey {
  readonly id: string;
  readonly userId: string;
  /** The id that the authenticator chose, base64url. */
  readonly credentialId: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** Of the last use; authenticators that do not count send 0. */
  readonly counter: number;
  /** 1: the passkey is copied to other devices of the person. */
  readonly isBackedUp: number;
  readonly name: string;
  readonly createdAtMs: number;
  readonly usedAtMs: number | undefined;
}

/** What a use changes of a passkey. */
export interface PasskeyUse {
  readonly counter: number;
  readonly isBackedUp: number;
  readonly usedAtMs: number;
}

/** A passkey that confirmed a change, and its use, which is stored with the change. */
export interface UsedPasskey {
  readonly passkey: Passkey;
  readonly use: PasskeyUse;
}
