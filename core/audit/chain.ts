import { canonicalJson } from '../api/json/canonical-json.ts';
import type { AuditEntry, AuditRecord } from './entry.ts';
import { hashedOf, parseAuditRecord } from './wire-record.ts';

/** The end of a log, to which the next entry is chained. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** The end of an empty log. */
export const CHAIN_START: ChainEnd = { seq: 0, hash: '0'.repeat(64) };

/** The text whose hash is that of the entry after `end`; it contains the previous hash (decision 48, the audit log). */
export function auditText(entry: AuditEntry, end: ChainEnd): string {
  return canonicalJson(hashedOf(entry, end.seq + 1, end.hash));
}

/** One stored row of a log: the hashed text, and the columns by which it is found. */
export interface StoredLink extends ChainEnd {
  readonly text: string;
  readonly workspaceId: string;
  readonly atMs: number;
  readonly action: string;
  readonly actorId: string | undefined;
}

/**
 * Why a row does not follow `end`, in a few words; undefined if it does.
 *
 * @param digest SHA-256 in hexadecimal
 */
export function linkProblem(
  end: ChainEnd,
  row: StoredLink,
  digest: (text: string) => string,
): string | undefined {
  const next = end.seq + 1;
  if (row.seq !== next) return missingProblem(next, row.seq - 1);
  if (digest(row.text) !== row.hash) return 'its text is not the one that was hashed';
  const record = parseAuditRecord(row.text, row.hash);
  if (record?.previousHash !== end.hash) return 'it does not follow the entry before it';
  return saysTheSame(row, record) ? undefined : 'the columns of its row say something else than its text';
}

/** The problem of missing entries. */
export function missingProblem(from: number, to: number): string {
  return from === to ? `entry ${from} is missing` : `the entries ${from} to ${to} are missing`;
}

function saysTheSame(row: StoredLink, { seq, entry }: AuditRecord): boolean {
  return (
    row.seq === seq &&
    row.workspaceId === entry.workspaceId &&
    row.atMs === entry.atMs &&
    row.action === entry.action &&
    row.actorId === entry.actor.id
  );
}
