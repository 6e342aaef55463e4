import type { Vault } from '../platform/world.ts';
import { principalKey, type Visit } from './visit.ts';

/** Data that an agent returns with its next request. Only the hub can create and read it. */
export interface PendingCallState {
  readonly executionId: string;
  readonly approvalId: string;
  /** SHA-256 of the tool and its arguments, which binds the state to one request. */
  readonly digest: string;
  /** The time until which the call can be approved and run. */
  readonly validUntilMs: number;
}

/** Part of the sealed context: no kind of value opens as another. */
type What = 'state' | 'task' | 'session' | 'question';

/** The caller and the workspace for which a value is sealed. */
export type AgentPrincipal = Pick<Visit, 'caller'> & { readonly workspace: Pick<Visit['workspace'], 'id'> };

/** Seals a value for the agent of this request; no other principal or workspace can open it. */
export function sealFor(vault: Vault, principal: AgentPrincipal, what: What, value: object): string {
  const sealed = vault.seal(JSON.stringify(value), ownerOf(principal, what));
  return Buffer.from(sealed).toString('base64url');
}

/** Opens a sealed value; undefined for a text that was changed, was sealed for another principal, or is invalid. */
export function openFor(vault: Vault, principal: AgentPrincipal, what: What, text: string): unknown {
  try {
    return JSON.parse(vault.open(Buffer.from(text, 'base64url').toString(), ownerOf(principal, what)));
  } catch {
    return undefined;
  }
}

function ownerOf(principal: AgentPrincipal, what: What) {
  const id = `${what} ${principalKey(principal)}`;
  return { workspaceId: principal.workspace.id, kind: 'mcp', id } as const;
}

/** The digest of a tool and its arguments; the order of the arguments makes no difference. */
export function digestOf(name: string, values: ReadonlyMap<string, string>): string {
  const entries = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([name, entries])).digest('base64url');
}
