export interface Clock {
  nowMs(): number;
  /** Calls `action` once at `atMs`, or as soon after as possible, without awaiting it. The returned function cancels it. */
  at(atMs: number, action: () => unknown): () => void;
}

export interface Random {
  /** A UUID version 7 (RFC 9562). Such ids sort by their creation time. */
  uuid(): string;
  bytes(count: number): Uint8Array;
}

/** The owner of a sealed value. The value opens only for this owner. */
export interface SealedFor {
  readonly workspaceId: string;
  readonly kind:
    | 'arguments'
    | 'request'
    | 'handed_call'
    | 'secret'
    | 'mail'
    | 'alert_target'
    | 'alert_secret'
    | 'alert_link'
    | 'callback_secret'
    | 'run_request'
    | 'run_input'
    | 'run_secrets'
    | 'trigger_secret'
    | 'mcp'
    | 'sign_in'
    | 'sign_in_provider';
  readonly id: string;
}

/** Encrypts and decrypts secret values for the store. */
export interface Vault {
  seal(plain: string, owner: SealedFor): string;
  /** Throws for a text that was changed, belongs to another owner, or was sealed with another master key. */
  open(sealed: string, owner: SealedFor): string;
}
