import type { AuditAction } from './actions.ts';

/**
 * `operator`: a person on the machine of the hub, with `svc admin` or `svc up`. `link`: the holder of an approval's link.
 * `hub`: the hub itself, because a time was over.
 */
export const AUDIT_ACTOR_KINDS = ['member', 'service_account', 'agent', 'operator', 'link', 'hub'] as const;

export const AUDIT_TARGET_KINDS = [
  'workspace',
  'account',
  'member',
  'invite',
  'access_token',
  'device',
  'api_key',
  'service_account',
  'ai_client',
  'agent_token',
  'agent',
  'secret',
  'endpoint',
  'pipeline',
  'approval',
  'alert',
  'scim_token',
  'scim_user',
  'scim_group',
] as const;

export interface AuditActor {
  readonly kind: (typeof AUDIT_ACTOR_KINDS)[number];
  /** Undefined for an operator, who has no account. */
  readonly id: string | undefined;
  /** The name for people: an e-mail address, the name of an agent. */
  readonly name: string;
}

/** The origin of a request; empty for an action on the machine of the hub. */
export interface AuditOrigin {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

/** The actor of an action, and the origin of the request. */
export interface AuditSource {
  readonly actor: AuditActor;
  readonly from: AuditOrigin;
}

export interface AuditTarget {
  readonly kind: (typeof AUDIT_TARGET_KINDS)[number];
  readonly id: string;
  /** The name for people; never the value of a secret. */
  readonly name: string;
}

/** Further facts: short texts without secrets. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** One action in a workspace (decision 48, the audit log). */
export interface AuditEntry extends AuditSource {
  readonly workspaceId: string;
  readonly atMs: number;
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly details: AuditDetails;
}

/** An entry as read: a later hub may have written actions and kinds that this version does not know. */
export interface StoredAuditEntry extends Omit<AuditEntry, 'action' | 'actor' | 'target'> {
  readonly action: string;
  readonly actor: Omit<AuditActor, 'kind'> & { readonly kind: string };
  readonly target: Omit<AuditTarget, 'kind'> & { readonly kind: string };
}

/** A chained entry: `hash` is the SHA-256, in hexadecimal, of `auditText`, which contains the previous hash. */
export interface AuditRecord {
  readonly entry: StoredAuditEntry;
  /** From 1, without gaps in a workspace. */
  readonly seq: number;
  readonly previousHash: string;
  readonly hash: string;
}
