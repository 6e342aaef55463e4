import { hash } from 'node:crypto';
import { CHAIN_START, type ChainEnd, linkProblem, missingProblem } from '@svc/core/audit/chain';
import type { AuditHead } from './audit-ports.ts';
import type { AuditLog } from './store/audit-store.ts';

/** What became of walking the log of one workspace. */
export interface VerifiedLog {
  readonly workspaceId: string;
  /** How many entries it has; of one that is closed, how many it had. */
  readonly entries: number;
  readonly isClosed: boolean;
  /** The first place that is not as it was written; undefined: there is none. */
  readonly broken: { readonly seq: number; readonly problem: string } | undefined;
}

const LINKS_AT_ONCE = 1_000;
const HEADS_AT_ONCE = 500;

/** Walks the log of one workspace, or of all that ever were; each is answered for as soon as it was walked. */
export async function* verifyAudit(audit: AuditLog, workspaceId?: string): AsyncGenerator<VerifiedLog> {
  if (workspaceId !== undefined) {
    const head = await audit.head(workspaceId);
    yield await verifyLog(audit, head ?? { workspaceId, ...CHAIN_START, closedAtMs: undefined });
    return;
  }
  let last = '';
  for (;;) {
    const heads = await audit.headsAfter(last, HEADS_AT_ONCE);
    for (const head of heads) yield await verifyLog(audit, head);
    if (heads.length < HEADS_AT_ONCE) return;
    last = heads.at(-1)?.workspaceId ?? '';
  }
}

async function verifyLog(audit: AuditLog, head: AuditHead): Promise<VerifiedLog> {
  const { workspaceId, closedAtMs, seq: entries } = head;
  const broken = await firstBreak(audit, head);
  return { workspaceId, entries, isClosed: closedAtMs !== undefined, broken };
}

/** What is appended while it is walked is behind the end that was read before, and left to the next time. */
async function firstBreak(audit: AuditLog, head: AuditHead): Promise<VerifiedLog['broken']> {
  let end = head.closedAtMs === undefined ? CHAIN_START : await beforeLast(audit, head);
  while (end.seq < head.seq) {
    const links = await audit.linksAfter(head.workspaceId, end.seq, LINKS_AT_ONCE);
    if (links.length === 0) return { seq: end.seq + 1, problem: missingProblem(end.seq + 1, head.seq) };
    for (const link of links) {
      const problem = linkProblem(end, link, (text) => hash('sha256', text));
      if (problem !== undefined) return { seq: link.seq, problem };
      end = link;
      if (end.seq === head.seq) break;
    }
  }
  if (end.hash === head.hash) return undefined;
  return { seq: head.seq, problem: 'it is not the entry with which the log is said to end' };
}

/** Of a log that was closed only the last entry is there: what it says to follow is taken as given. */
async function beforeLast(audit: AuditLog, { workspaceId, seq }: AuditHead): Promise<ChainEnd> {
  const [last] = await audit.recordsAfter(workspaceId, seq - 1, 1);
  return { seq: seq - 1, hash: last?.previousHash ?? '' };
}
