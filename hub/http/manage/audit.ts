import { ROUTES } from '@svc/core/api/routes';
import { AUDIT_ACTIONS } from '@svc/core/audit/actions';
import type { AuditRecord } from '@svc/core/audit/entry';
import { wireOf } from '@svc/core/audit/wire-record';
import type { HubContext } from '../context.ts';
import { endOfPage } from '../routes/bounded-page.ts';
import type { Handlers } from '../routes/handler.ts';
import { watchMember } from '../routes/watch-member.ts';
import { exportedLines } from './exported-lines.ts';

type Routes = Pick<Handlers, 'listAudit' | 'exportAudit'>;

/** The audit log of a workspace, for those who answer for it (decision 48). */
export function auditRoutes(context: HubContext): Routes {
  const { audit } = context;
  const { permission } = ROUTES.exportAudit.access;
  return {
    async listAudit({ acting: { workspace }, query: { limit, cursor, action, actor, from, until } }) {
      const { items, ...end } = await audit.page({
        workspaceId: workspace.id,
        limit,
        ...(cursor !== undefined && { cursor }),
        ...(action !== undefined && { action }),
        ...(actor !== undefined && { actorId: actor }),
        ...(from !== undefined && { fromMs: Date.parse(from) }),
        ...(until !== undefined && { untilMs: Date.parse(until) }),
      });
      return { items: items.map(shown), ...endOfPage(end) };
    },
    exportAudit({ request, acting }) {
      const watch = watchMember(context, request, acting, permission);
      return new Response(exportedLines(audit, acting.workspace.id, { watch, pacer: context.readPacer }), {
        headers: { 'Content-Type': 'application/x-ndjson; charset=utf-8', 'Cache-Control': 'no-store' },
      });
    },
  };
}

function shown(record: AuditRecord) {
  return { ...wireOf(record), words: AUDIT_ACTIONS[record.entry.action] };
}
