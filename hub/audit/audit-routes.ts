import { ROUTES } from '@svc/core/api/routes';
import { actionWords } from '@svc/core/audit/actions';
import type { AuditRecord } from '@svc/core/audit/entry';
import { wireOf } from '@svc/core/audit/wire-record';
import { refuse } from '@svc/core/refusal';
import type { Handlers } from '../http/handler.ts';
import { type Watch, type WatchMemberDeps, watchMember } from '../http/watch-caller.ts';
import { endOfPage } from '../platform/page-of-items.ts';
import type { ReadPacer } from '../platform/read-pacer.ts';
import type { AuditLog } from './store/audit-store.ts';

interface AuditRoutesDeps extends WatchMemberDeps {
  readonly readPacer: ReadPacer;
  readonly audit: AuditLog;
}

type Routes = Pick<Handlers, 'listAudit' | 'exportAudit'>;

/** The audit log of a workspace, for its owner and admins (decision 48, the audit log). */
export function auditRoutes(deps: AuditRoutesDeps): Routes {
  const { audit } = deps;
  return {
    async listAudit({ acting: { workspace }, query }) {
      const { limit, cursor, action, actor, name, from, until } = query;
      const { items, ...end } = await audit.page({
        workspaceId: workspace.id,
        limit,
        ...(cursor !== undefined && { cursor }),
        ...(action !== undefined && { action }),
        ...(actor !== undefined && { actorId: actor }),
        ...(name !== undefined && { name }),
        ...(from !== undefined && { fromMs: Date.parse(from) }),
        ...(until !== undefined && { untilMs: Date.parse(until) }),
      });
      return { items: items.map(shown), ...endOfPage(end) };
    },
    exportAudit({ request, acting }) {
      const watch = watchMember(deps, request, acting, ROUTES.exportAudit.access);
      return new Response(exportedLines(audit, acting.workspace.id, { watch, pacer: deps.readPacer }), {
        headers: { 'Content-Type': 'application/x-ndjson; charset=utf-8', 'Cache-Control': 'no-store' },
      });
    },
  };
}

function shown(record: AuditRecord) {
  return { ...wireOf(record), words: actionWords(record.entry.action) };
}

const RECORDS_PER_PAGE = 500;

/**
 * All lines of an audit log, read only as fast as the client takes them, so that only a part is in memory. When the reader
 * loses access, the response breaks off with an error, so that the client does not take it for complete (decision 44,
 * sign-in).
 */
export function exportedLines(
  audit: Pick<AuditLog, 'recordsAfter'>,
  workspaceId: string,
  { watch, pacer }: { readonly watch: Watch; readonly pacer: Pick<ReadPacer, 'run'> },
): ReadableStream<Uint8Array> {
  let last = 0;
  let isAllowed = true;
  let unwatch = () => {};
  return new ReadableStream({
    start() {
      unwatch = watch(() => {
        isAllowed = false;
      });
    },
    async pull(controller) {
      const records = await pacer.run(workspaceId, () =>
        audit.recordsAfter(workspaceId, last, RECORDS_PER_PAGE),
      );
      if (!isAllowed) throw refuse('unauthorized', 'the credentials of this request no longer work');
      last = records.at(-1)?.seq ?? last;
      const lines = records.map((record) => `${JSON.stringify(wireOf(record))}\n`).join('');
      if (lines !== '') controller.enqueue(new TextEncoder().encode(lines));
      if (records.length === RECORDS_PER_PAGE) return;
      unwatch();
      controller.close();
    },
    cancel: () => unwatch(),
  });
}
