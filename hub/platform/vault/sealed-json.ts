import type { SealedFor, Vault } from '../world.ts';

/** Seals a value as JSON for an owner. */
export function sealJson(vault: Vault, value: object, owner: SealedFor): string {
  return vault.seal(JSON.stringify(value), owner);
}

/**
 * Opens what `sealJson` sealed for this owner. Undefined for a text that was changed, belongs to another owner, or was sealed with a
 * master key that is gone.
 */
export function openJson<Value extends object>(
  vault: Vault,
  sealed: string,
  owner: SealedFor,
): Value | undefined {
  try {
    return JSON.parse(vault.open(sealed, owner)) as Value;
  } catch {
    return undefined;
  }
}
