import type { Vault } from '../platform/world.ts';
import { principalOf, type Visit } from './visit.ts';

/** What an agent gets back with its next request; only the hub can read and make it. */
export interface HeldCall {
  readonly executionId: string;
  readonly approvalId: string;
  /** SHA-256 of the tool and its arguments: the state belongs to one request. */
  readonly digest: string;
  /** Until then the call can be approved, and run. */
  readonly validUntilMs: number;
}

/** Of the text that the agent gets: `what` keeps states and task ids apart. */
type What = 'state' | 'task';

/** Seals a value for the agent of this request; another principal or workspace cannot open it. */
export function sealFor(vault: Vault, visit: Visit, what: What, value: object): string {
  const sealed = vault.seal(JSON.stringify(value), ownerOf(visit, what));
  return Buffer.from(sealed).toString('base64url');
}

/** The value; undefined for a text that was changed, was made for another principal, or is none of ours. */
export function openFor(vault: Vault, visit: Visit, what: What, text: string): unknown {
  try {
    return JSON.parse(vault.open(Buffer.from(text, 'base64url').toString(), ownerOf(visit, what)));
  } catch {
    return undefined;
  }
}

function ownerOf(visit: Visit, what: What) {
  const id = `${what} ${principalOf(visit)}`;
  return { workspaceId: visit.workspace.id, kind: 'mcp', id } as const;
}

/** The same tool with the same arguments has one digest, in whatever order the arguments stand. */
export function digestOf(name: string, values: ReadonlyMap<string, string>): string {
  const entries = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([name, entries])).digest('base64url');
}
