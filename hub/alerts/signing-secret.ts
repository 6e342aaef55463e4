import type { Random } from '../platform/world.ts';

const SECRET_BYTES = 32;

/** A new secret in the format of Standard Webhooks. */
export function newSecret({ bytes }: Pick<Random, 'bytes'>): string {
  return `whsec_${bytes(SECRET_BYTES).toBase64()}`;
}
