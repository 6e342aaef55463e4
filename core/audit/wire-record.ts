import { z } from 'zod';
import { AUDIT_ACTOR_KINDS, AUDIT_TARGET_KINDS, type AuditRecord, type StoredAuditEntry } from './entry.ts';

const HASH = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string().nullable();

/** The hashed part of a record. */
const hashed = z.strictObject({
  workspace_id: z.string(),
  seq: z.int().min(1).describe('Its place in the log of the workspace, from 1, without gaps.'),
  at: z.iso.datetime(),
  action: z
    .string()
    .regex(/^[a-z_]+\.[a-z_]+$/)
    .describe('What was done. Later versions add actions.'),
  actor: z.strictObject({
    kind: z.string().describe(`One of ${AUDIT_ACTOR_KINDS.join(', ')}. Later versions add kinds.`),
    id: text.describe('Null for an operator on the machine of the hub.'),
    name: z.string(),
  }),
  from: z.strictObject({ address: text, user_agent: text }).describe('Where the request came from.'),
  target: z.strictObject({
    kind: z.string().describe(`One of ${AUDIT_TARGET_KINDS.join(', ')}. Later versions add kinds.`),
    id: z.string(),
    name: z.string(),
  }),
  details: z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
  ),
  previous_hash: HASH.describe('The `hash` of the entry before; 64 zeros at the first.'),
});

/** A record as exported and stored, so that readers can compute the hashes again. */
export const wireAuditRecord = hashed
  .extend({
    hash: HASH.describe('SHA-256 of this object without `hash`, as canonical JSON (RFC 8785).'),
  })
  .meta({ id: 'AuditEntry' });

export type HashedAuditRecord = z.output<typeof hashed>;
export type WireAuditRecord = z.output<typeof wireAuditRecord>;

/** The wire form of a chained entry, without the hash. */
export function hashedOf(entry: StoredAuditEntry, seq: number, previousHash: string): HashedAuditRecord {
  const { actor, from, target } = entry;
  return {
    workspace_id: entry.workspaceId,
    seq,
    at: new Date(entry.atMs).toISOString(),
    action: entry.action,
    actor: { kind: actor.kind, id: actor.id ?? null, name: actor.name },
    from: { address: from.address ?? null, user_agent: from.userAgent ?? null },
    target: { kind: target.kind, id: target.id, name: target.name },
    details: { ...entry.details } as HashedAuditRecord['details'],
    previous_hash: previousHash,
  };
}

export function wireOf({ entry, seq, previousHash, hash }: AuditRecord): WireAuditRecord {
  return { ...hashedOf(entry, seq, previousHash), hash };
}

/** Parses the record of a stored text; undefined if it is none. */
export function parseAuditRecord(text: string, hash: string): AuditRecord | undefined {
  const read = hashed.safeParse(parsed(text));
  if (!read.success) return undefined;
  const { workspace_id: workspaceId, seq, at, previous_hash: previousHash, ...wire } = read.data;
  const { actor, from } = wire;
  const entry: StoredAuditEntry = {
    ...wire,
    workspaceId,
    atMs: Date.parse(at),
    actor: { ...actor, id: actor.id ?? undefined },
    from: { address: from.address ?? undefined, userAgent: from.user_agent ?? undefined },
  };
  return { entry, seq, previousHash, hash };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
