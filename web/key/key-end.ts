import type { Item } from '../api/read.ts';

/** The end of a key: a verb and a time. */
export interface KeyEnd {
  readonly word: 'revoked' | 'expired' | 'expires';
  readonly at: string;
  readonly isOver: boolean;
}

/** Undefined: the key works until it is revoked. */
export function keyEnd(
  { revoked_at, expires_at }: Pick<Item<'listApiKeys'>, 'revoked_at' | 'expires_at'>,
  nowMs: number,
): KeyEnd | undefined {
  if (revoked_at !== null) return { word: 'revoked', at: revoked_at, isOver: true };
  if (expires_at === null) return undefined;
  const isOver = Date.parse(expires_at) <= nowMs;
  return { word: isOver ? 'expired' : 'expires', at: expires_at, isOver };
}
