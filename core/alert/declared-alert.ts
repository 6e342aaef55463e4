import type { ENDPOINT_EVENTS } from './event.ts';

/** An alert rule that a file declares with its endpoint (decision 70, alert rules in a file). */
export interface DeclaredAlert {
  /** Unique in its endpoint; absent: its number. */
  readonly name?: string;
  readonly events: readonly (typeof ENDPOINT_EVENTS)[number][];
  /** The e-mail address of a member, or `$svc:NAME` for a managed secret that holds a URL. */
  readonly target: string;
  /** For a URL; absent: `webhook`. */
  readonly channel?: 'webhook' | 'slack';
  readonly noSuccessMins?: number;
}

/** The most alerts of one endpoint, and of all files in a workspace. */
export const MAX_DECLARED = 10;
export const MAX_DECLARED_IN_WORKSPACE = 100;

/**
 * An e-mail address, or the name of a managed secret. The URL of a chat is a secret: everybody who knows it can write to the chat. So a
 * file never contains one.
 */
export const DECLARED_TARGET = /^(?:\$svc:[A-Za-z_][A-Za-z0-9_]{0,63}|[^\s@$<>"]+@[^\s@$<>"]+)$/;

/** The name of the managed secret in a target; undefined for an e-mail address. */
export function secretInTarget(target: string): string | undefined {
  return target.startsWith('$svc:') ? target.slice('$svc:'.length) : undefined;
}

/** The name of an alert in its endpoint; `index` counts from 0. */
export function keyOfAlert({ name }: { readonly name?: string | undefined }, index: number): string {
  return name ?? String(index + 1);
}
