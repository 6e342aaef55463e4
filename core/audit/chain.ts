import { canonicalJson } from '../api/json/canonical-json.ts';
import type { AuditEntry, AuditRecord } from './entry.ts';
import { hashedOf, parseAuditRecord } from './wire-record.ts';

/** Where a log ends: what the next entry is chained to. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first entry. */
export const CHAIN_START: ChainEnd = { seq: 0, hash: '0'.repeat(64) };

/** What is counted into the hash of the entry that comes after `end`: the hash before it included (decision 48). */
export function auditText(entry: AuditEntry, end: ChainEnd): string {
  return canonicalJson(hashedOf(entry, end.seq + 1, end.hash));
}

/** One stored row of a log: the text that was hashed, and what the row says of it beside that, to be found by. */
export interface StoredLink extends ChainEnd {
  readonly text: string;
  readonly workspaceId: string;
  readonly atMs: number;
  readonly action: string;
  readonly actorId: string | undefined;
}

/**
 * What is wrong with the row that should follow `end`, in a few words; undefined: nothing.
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

/** What is wrong where there should be entries. */
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
