import type { AuditAction } from './actions.ts';

/**
 * `operator`: somebody on the machine of the hub, with `svc admin` or `svc up`. `link`: whoever has the link of an approval.
 * `hub`: nobody, because of the time.
 */
export const AUDIT_ACTOR_KINDS = ['member', 'agent', 'operator', 'link', 'hub'] as const;

export const AUDIT_TARGET_KINDS = [
  'workspace',
  'account',
  'member',
  'invite',
  'access_token',
  'device',
  'api_key',
  'agent_token',
  'agent',
  'secret',
  'endpoint',
  'pipeline',
  'approval',
  'alert',
] as const;

export interface AuditActor {
  readonly kind: (typeof AUDIT_ACTOR_KINDS)[number];
  /** Undefined for an operator, who has no account here. */
  readonly id: string | undefined;
  /** As people know them: an e-mail address, the name of an agent. */
  readonly name: string;
}

/** Where a request came from; nothing of it for what was done on the machine of the hub. */
export interface AuditOrigin {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

/** Who does something, and from where. */
export interface AuditSource {
  readonly actor: AuditActor;
  readonly from: AuditOrigin;
}

export interface AuditTarget {
  readonly kind: (typeof AUDIT_TARGET_KINDS)[number];
  readonly id: string;
  /** As people know it; never the thing itself where that is secret. */
  readonly name: string;
}

/** What more there is to know: short texts, in which nothing is secret. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** One thing that somebody did in a workspace (decision 48). */
export interface AuditEntry extends AuditSource {
  readonly workspaceId: string;
  readonly atMs: number;
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly details: AuditDetails;
}

/** An entry as it is read: a hub of a later version may have written actions and kinds that this version does not know. */
export interface StoredAuditEntry extends Omit<AuditEntry, 'action' | 'actor' | 'target'> {
  readonly action: string;
  readonly actor: Omit<AuditActor, 'kind'> & { readonly kind: string };
  readonly target: Omit<AuditTarget, 'kind'> & { readonly kind: string };
}

/** An entry in its place: `hash` is the SHA-256, in hexadecimal, of `auditText`, in which the hash before it stands. */
export interface AuditRecord {
  readonly entry: StoredAuditEntry;
  /** From 1, without gaps in a workspace. */
  readonly seq: number;
  readonly previousHash: string;
  readonly hash: string;
}
