import { AUDIT_ACTIONS } from '@svc/core/audit/actions';
import type { AuditRecord } from '@svc/core/audit/entry';
import { wireOf } from '@svc/core/audit/wire-record';
import type { AuditLog } from '../../engine/ports/audit.ts';
import type { HubContext } from '../context.ts';
import type { Handlers } from '../routes/handler.ts';

type Routes = Pick<Handlers, 'listAudit' | 'exportAudit'>;

const EXPORTED_AT_ONCE = 500;

/** The audit log of a workspace, for those who answer for it (decision 48). */
export function auditRoutes({ audit }: HubContext): Routes {
  return {
    async listAudit({ acting: { workspace }, query: { limit, cursor, action, actor, from, until } }) {
      const page = await audit.page({
        workspaceId: workspace.id,
        limit,
        ...(cursor !== undefined && { cursor }),
        ...(action !== undefined && { action }),
        ...(actor !== undefined && { actorId: actor }),
        ...(from !== undefined && { fromMs: Date.parse(from) }),
        ...(until !== undefined && { untilMs: Date.parse(until) }),
      });
      return { items: page.items.map(shown), next_cursor: page.nextCursor ?? null };
    },
    exportAudit({ acting: { workspace } }) {
      return new Response(linesOf(audit, workspace.id), {
        headers: { 'Content-Type': 'application/x-ndjson; charset=utf-8', 'Cache-Control': 'no-store' },
      });
    },
  };
}

function shown(record: AuditRecord) {
  return { ...wireOf(record), words: AUDIT_ACTIONS[record.entry.action] };
}

/** Read as fast as it is taken: a log of any length is in memory a piece at a time. */
function linesOf(audit: AuditLog, workspaceId: string): ReadableStream<Uint8Array> {
  let last = 0;
  return new ReadableStream({
    async pull(controller) {
      const records = await audit.recordsAfter(workspaceId, last, EXPORTED_AT_ONCE);
      last = records.at(-1)?.seq ?? last;
      const lines = records.map((record) => `${JSON.stringify(wireOf(record))}\n`).join('');
      if (lines !== '') controller.enqueue(new TextEncoder().encode(lines));
      if (records.length < EXPORTED_AT_ONCE) controller.close();
    },
  });
}
