import { ROUTES } from '@svc/core/api/routes';
import { actionWords } from '@svc/core/audit/actions';
import type { AuditRecord } from '@svc/core/audit/entry';
import { wireOf } from '@svc/core/audit/wire-record';
import type { KeyUse } from '../accounts/key-use.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Handlers } from '../http/handler.ts';
import { watchMember } from '../http/watch-member.ts';

import type { CallLookups } from '../lookups/caches.ts';
import { endOfPage } from '../platform/http/bounded-page.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import { exportedLines } from './http/exported-lines.ts';
import type { AuditLog } from './store/audit-store.ts';

export interface AuditRoutesDeps {
  readonly accounts: Accounts;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly keyUse: KeyUse;
  readonly lookups: CallLookups;
  readonly openStreams: OpenStreams;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
}

type Routes = Pick<Handlers, 'listAudit' | 'exportAudit'>;

/** The audit log of a workspace, for those who answer for it (decision 48). */
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
      return new Response(exportedLines(audit, acting.workspace.id, watch), {
        headers: { 'Content-Type': 'application/x-ndjson; charset=utf-8', 'Cache-Control': 'no-store' },
      });
    },
  };
}

function shown(record: AuditRecord) {
  return { ...wireOf(record), words: actionWords(record.entry.action) };
}
