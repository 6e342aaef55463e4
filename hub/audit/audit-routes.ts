import { ROUTES } from '@svc/core/api/routes';
import { actionWords } from '@svc/core/audit/actions';
import type { AuditRecord } from '@svc/core/audit/entry';
import { wireOf } from '@svc/core/audit/wire-record';
import type { Handlers } from '../http/handler.ts';
import { type WatchMemberDeps, watchMember } from '../http/watch-member.ts';
import { endOfPage } from '../platform/http/bounded-page.ts';
import type { ReadPacer } from '../platform/read-pacer.ts';
import { exportedLines } from './http/exported-lines.ts';
import type { AuditLog } from './store/audit-store.ts';

export interface AuditRoutesDeps extends WatchMemberDeps {
  readonly readPacer: ReadPacer;
  readonly audit: AuditLog;
}

type Routes = Pick<Handlers, 'listAudit' | 'exportAudit'>;

/** The audit log of a workspace, for its owner and admins (decision 48). */
export function auditRoutes(deps: AuditRoutesDeps): Routes {
  const { audit } = deps;
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
      const watch = watchMember(deps, request, acting, permission);
      return new Response(exportedLines(audit, acting.workspace.id, { watch, pacer: deps.readPacer }), {
        headers: { 'Content-Type': 'application/x-ndjson; charset=utf-8', 'Cache-Control': 'no-store' },
      });
    },
  };
}

function shown(record: AuditRecord) {
  return { ...wireOf(record), words: actionWords(record.entry.action) };
}
