import { hash } from 'node:crypto';
import { CHAIN_START, type ChainEnd, linkProblem, missingProblem } from '@svc/core/audit/chain';
import type { AuditHead } from './audit-ports.ts';
import type { AuditLog } from './store/audit-store.ts';

/** The result of verifying the log of one workspace. */
export interface VerifiedLog {
  readonly workspaceId: string;
  /** The number of entries; for a closed log, the number that it had. */
  readonly entries: number;
  readonly isClosed: boolean;
  /** The first damaged entry; undefined: none. */
  readonly broken: { readonly seq: number; readonly problem: string } | undefined;
}

const LINKS_PER_PAGE = 1_000;
const HEADS_PER_PAGE = 500;

/** Verifies the log of one workspace, or of all workspaces ever. Yields each result at once. */
export async function* verifyAudit(audit: AuditLog, workspaceId?: string): AsyncGenerator<VerifiedLog> {
  if (workspaceId !== undefined) {
    const head = await audit.head(workspaceId);
    yield await verifyLog(audit, head ?? { workspaceId, ...CHAIN_START, closedAtMs: undefined });
    return;
  }
  let last = '';
  for (;;) {
    const heads = await audit.headsAfter(last, HEADS_PER_PAGE);
    for (const head of heads) yield await verifyLog(audit, head);
    if (heads.length < HEADS_PER_PAGE) return;
    last = heads.at(-1)?.workspaceId ?? '';
  }
}

async function verifyLog(audit: AuditLog, head: AuditHead): Promise<VerifiedLog> {
  const { workspaceId, closedAtMs, seq: entries } = head;
  const broken = await firstBreak(audit, head);
  return { workspaceId, entries, isClosed: closedAtMs !== undefined, broken };
}

/** Entries that are appended meanwhile are after the end that was read first, so the next verification checks them. */
async function firstBreak(audit: AuditLog, head: AuditHead): Promise<VerifiedLog['broken']> {
  let end = head.closedAtMs === undefined ? CHAIN_START : await beforeLast(audit, head);
  while (end.seq < head.seq) {
    const links = await audit.linksAfter(head.workspaceId, end.seq, LINKS_PER_PAGE);
    if (links.length === 0) return { seq: end.seq + 1, problem: missingProblem(end.seq + 1, head.seq) };
    for (const link of links) {
      const problem = linkProblem(end, link, (text) => hash('sha256', text));
      if (problem !== undefined) return { seq: link.seq, problem };
      end = link;
      if (end.seq === head.seq) break;
    }
  }
  if (end.hash === head.hash) return undefined;
  return { seq: head.seq, problem: 'it is not the entry that is recorded as the last one' };
}

/** A closed log has only its last entry, whose previous hash is taken as given. */
async function beforeLast(audit: AuditLog, { workspaceId, seq }: AuditHead): Promise<ChainEnd> {
  const [last] = await audit.recordsAfter(workspaceId, seq - 1, 1);
  return { seq: seq - 1, hash: last?.previousHash ?? '' };
}
